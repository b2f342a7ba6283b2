#!/bin/bash
# Merges the parts that part.sh made, once all of them have ended well:
#   sbatch --dependency=afterok:JOB merge.sh FOLDER [--format json] -o results.json
#SBATCH --output=merge-%j.log
set -eu
folder=$1
shift
exec "${SDCRISK:-sdcrisk}" merge "$@" -- "$folder"/part*.json
