#!/bin/sh
# Measures the tables of docs/learned.md: learned.csv beside this script.
#
#   docs/learned.sh FOLDER        (the folder that `cargo run --release --example learned_files -- CENSUS.csv FOLDER` filled; some
#                                  ten minutes; needs sdcrisk on the path)
#
# One thread; seconds are of the whole process, reading and presolve included.
set -eu
folder=$1
here=$(cd "$(dirname "$0")" && pwd)
all="am md wm wm-m owa ci ci-m ci-2 sb sb-nc sb-pd"

echo "set,file,method,records,linked,bound,proof,seconds" >"$here/learned.csv"
for set in C_400 B_400 C_1080; do
    methods=$all
    [ $set = C_1080 ] && methods="am md wm owa ci"
    for file in M4-33 M4-28 M4-82 M5-38 M6-385 M6-853 M7-999; do
        for method in $methods; do
            limit="--time-limit 60"
            case $set-$method in
                B_400-sb*) limit="--time-limit 10" ;;
                *-am | *-md) limit= ;;
            esac
            begun=$(date +%s.%N)
            # shellcheck disable=SC2086
            sdcrisk link --method "$method" --format csv --quiet --threads 1 $limit \
                "$folder/${file}_${set}_original.csv" "$folder/${file}_${set}_masked.csv" >"$folder/result.csv" || true
            ended=$(date +%s.%N)
            # The formula holds commas; what is needed stands before and after it.
            awk -F, -v set="$set" -v file="$file" -v begun="$begun" -v ended="$ended" 'NR == 2 {
                bound = $(NF - 3); proof = $(NF - 1)
                printf "%s,%s,%s,%s,%s,%s,%s,%.2f\n", set, file, $1, $4, $6, bound, proof, ended - begun
            }' "$folder/result.csv" >>"$here/learned.csv"
        done
    done
done
rm "$folder/result.csv"
