#!/bin/bash
# Makes one part of a call of sdcrisk for each task of a Slurm job array. All nodes see the current folder.
#   sbatch --array=1-20 --cpus-per-task=8 --mem=8G part.sh 20 FOLDER link --method likelihood ... orig.csv masked.csv
# 20: into how many parts the work is cut. FOLDER is a new one, for the parts of this call; options of the report (--format, -o, ...) are those of merge.sh,
# and --links FILE is an option of both.
#SBATCH --requeue
#SBATCH --output=/dev/null
set -eu
of=$1 folder=$2 command=$3 part=$SLURM_ARRAY_TASK_ID
shift 3
(umask 077 && mkdir -p "$folder")
# A part of a plan that is made again continues where it was lost.
case $command in evaluate | search) set -- --into "$folder/keep$part" "$@" ;; esac
# What the program says stands beside the part. It alone is run after this: its exit status is that of the task.
exec "${SDCRISK:-sdcrisk}" "$command" --shard "$part/$of" --threads "${SLURM_CPUS_PER_TASK:-1}" \
    -o "$folder/part$part.json" "$@" 2>"$folder/part$part.log"
