#!/usr/bin/env bash
# The project beside each peer, on the same files in the same run: writes benches/RESULTS.md.
#
# Run it from anywhere in the project: benches/peers/results.sh [--brief] [--sizes 1080,10000]
# [--rows PATTERN] [--rounds 3] [--limit SECONDS] [--memory GB] [--total SECONDS] [--output FILE]
#
# It builds the program (SDCRISK=path takes one that is there), and installs peers by name in a virtual
# environment. That and the files (13 GB for 10,000,000 records) go into the folder PEERS_FOLDER, which is
# kept for the next time; without it into a temporary folder, which is removed. --brief stops at
# 1,000,000 records, 60 s a run and two rounds, and takes half an hour; all of it takes hours.
#
# Two peers cannot be installed by name. sdcMicro: SDCMICRO_LIBRARY names a library of R packages that has
# it (and Debian's r-cran-data.table, r-cran-clue). ARX: ARX_CLASSPATH has its classes and libraries. Rows of
# peers that are not there say so.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$(cd "$here/../.." && pwd)
folder=${PEERS_FOLDER:-}
if [ -z "$folder" ]; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
fi
mkdir -p "$folder"

cd "$project"
program=${SDCRISK:-}
if [ -z "$program" ]; then
    cargo build --release --quiet
    program=$(cargo metadata --format-version 1 --no-deps |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')/release/sdcrisk
fi

python="$folder/venv/bin/python"
if [ ! -x "$python" ]; then
    python3 -m venv "$folder/venv"
    "$python" -m pip install --quiet --disable-pip-version-check numpy scipy pandas polars pyarrow \
        scikit-learn faiss-cpu recordlinkage splink pyspark scikit-fuzzy microagg1d anonymeter highspy packaging
fi

PYTHONDONTWRITEBYTECODE=1 "$python" "$here/results" "$@" "$program" "$folder/files"
