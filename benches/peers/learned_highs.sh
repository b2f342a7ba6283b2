#!/usr/bin/env bash
# Compares `sdcrisk link --method wm` and `--method ci` with the program of the literature in HiGHS, on the same files.
#
# Run it from anywhere in the project: benches/peers/learned_highs.sh [SECONDS] [B_400, C_400 or C_1080]
# It builds the program, installs the peer by name in a virtual environment in a temporary folder, and removes that
# folder at the end. It needs cargo, python3 with venv, and about 2 GB of memory.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$(cd "$here/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cd "$project"
cargo build --release --quiet
cargo bench --quiet --bench learned -- files "$folder"
target=$(cargo metadata --format-version 1 --no-deps |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')

python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check numpy scipy highspy

export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
"$folder/venv/bin/python" "$here/learned_highs.py" "$target/release/sdcrisk" "$folder" "${1:-90}" "${2:-C_400}"
