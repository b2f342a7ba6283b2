#!/usr/bin/env bash
# Compares `sdcrisk link --method prl` with the Python package recordlinkage (full index, exact comparison, ECM) on the same
# files; also checks that both see the same agreement patterns.
#
# Run it from anywhere in the project: benches/peers/agreement.sh [RECORDS]
# It builds the program, installs the peer by name in a virtual environment in a temporary folder, and removes that
# folder at the end. With PEER_PYTHON=python3 in the environment it uses what that has installed. It needs cargo and
# python3 with venv. 5,000 records take the peer minutes and 10 GB.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$(cd "$here/../.." && pwd)
records=${1:-5000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cd "$project"
cargo build --release --quiet
target=$(cargo metadata --format-version 1 --no-deps |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')

python=${PEER_PYTHON:-}
if [ -z "$python" ]; then
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check numpy pandas recordlinkage
    python="$folder/venv/bin/python"
fi

"$python" "$here/agreement.py" "$target/release/sdcrisk" "$folder" "$records"
