#!/usr/bin/env bash
# Compares `sdcrisk link --method am` with scipy's cKDTree and FAISS's flat exact search on the same generated files.
#
# Run it from anywhere in the project: benches/peers/link_peers.sh [ROUNDS]
# It builds the program, installs the peers by name in a virtual environment in a temporary folder, and removes that
# folder at the end. It needs cargo, python3 with venv, and about 4 GB of memory.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$(cd "$here/../.." && pwd)
rounds=${1:-5}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cd "$project"
cargo build --release --quiet
cargo bench --quiet --bench link -- files "$folder"
target=$(cargo metadata --format-version 1 --no-deps |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')

python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check numpy scipy faiss-cpu

export OMP_NUM_THREADS=2 OPENBLAS_NUM_THREADS=2
"$folder/venv/bin/python" "$here/link_peers.py" "$target/release/sdcrisk" "$folder" "$rounds"
