#!/usr/bin/env bash
# Compares `sdcrisk link --assign one-to-one` with scipy's linear_sum_assignment on the same generated files; also checks that
# both find the same cost.
#
# Run it from anywhere in the project: benches/peers/assignment.sh [RECORDS]
# It builds the program, installs the peer by name in a virtual environment in a temporary folder, and removes that
# folder at the end. With PEER_PYTHON=python3 in the environment it uses what that has installed. It needs cargo and
# python3 with venv; for 10,000 records 2 GB of memory and a quarter of an hour.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$(cd "$here/../.." && pwd)
records=${1:-5000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cd "$project"
cargo build --release --quiet
cargo bench --quiet --bench assignment -- files "$folder" "$records"
target=$(cargo metadata --format-version 1 --no-deps |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')

python=${PEER_PYTHON:-}
if [ -z "$python" ]; then
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check numpy scipy
    python="$folder/venv/bin/python"
fi

"$python" "$here/assignment.py" "$target/release/sdcrisk" "$folder"
