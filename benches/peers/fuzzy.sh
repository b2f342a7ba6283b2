#!/usr/bin/env bash
# Compares `sdcrisk mask fuzzy` with scikit-fuzzy's cmeans on the same generated file, from the same centres, for the same
# number of iterations; also checks that both end at the same centres.
#
# Run it from anywhere in the project: benches/peers/fuzzy.sh [ROUNDS]
# It builds the program, installs the peer by name in a virtual environment in a temporary folder, and removes that
# folder at the end. With PEER_PYTHON=python3 in the environment it uses what that has installed. It needs cargo and
# python3 with venv.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$(cd "$here/../.." && pwd)
rounds=${1:-5}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cd "$project"
cargo build --release --quiet
cargo bench --quiet --bench fuzzy -- files "$folder"
target=$(cargo metadata --format-version 1 --no-deps |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')

python=${PEER_PYTHON:-}
if [ -z "$python" ]; then
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check numpy scipy scikit-fuzzy packaging
    python="$folder/venv/bin/python"
fi

export OMP_NUM_THREADS=2 OPENBLAS_NUM_THREADS=2
"$python" "$here/fuzzy.py" "$target/release/sdcrisk" "$folder" "$rounds"
