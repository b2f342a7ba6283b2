#!/usr/bin/env bash
# Compares the optimal univariate partition with the Python package microagg1d (numba, compiled) on the same values.
#
# Run it from anywhere in the project: benches/peers/univariate.sh
# It installs the peer by name in a virtual environment in a temporary folder, and removes that folder at the end. It
# needs cargo and python3 with venv. Compilation by numba is not in the peer's time.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$(cd "$here/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cd "$project"
cargo bench --quiet --bench univariate -- files "$folder"
cargo bench --quiet --bench univariate -- only

python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check numpy microagg1d
"$folder/venv/bin/python" "$here/univariate.py" "$folder/values.f64"
