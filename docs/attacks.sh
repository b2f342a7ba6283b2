#!/bin/sh
# Measures the table of docs/attacks.md: attacks.csv beside this script.
#
#   docs/attacks.sh census.csv        (the census file of the literature, 1080 x 13; a quarter of an hour; needs sdcrisk on the path)
#
# Rates are means over five masked files (one, where nothing is drawn) and over intruders who know the first 1, 2, ..., 7
# attributes of everybody.
set -eu
original=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

attacked() { # name of the masking, then its method and options
    name=$1
    shift
    seeds="1 2 3 4 5"
    case $1 in microagg) seeds=none ;; esac
    for seed in $seeds; do
        drawn="--seed $seed"
        [ "$seed" = none ] && drawn=
        # The literature's masked values have all their digits.
        case $1 in microagg | fuzzy | noise | ipso) drawn="$drawn --decimals full" ;; esac
        # shellcheck disable=SC2086
        sdcrisk mask "$@" $drawn --quiet --statement "$work/s.json" -o "$work/m.csv" "$original" 2>"$work/notes"
        for assign in best one-to-one balanced; do
            methods="all --fit em-fixed-u"
            [ $assign = one-to-one ] && methods=am,likelihood
            [ $assign = balanced ] && methods=likelihood
            # shellcheck disable=SC2086
            sdcrisk link --method $methods --statement "$work/s.json" --known sweep:7 --assign $assign --format csv --quiet \
                "$original" "$work/m.csv" 2>"$work/notes" |
                awk -F, -v name="$name" -v assign=$assign \
                    'NR > 1 { print name "," $1 (assign == "best" ? "" : " " assign) "," $8 }'
        done
        rm "$work/s.json" "$work/m.csv"
    done
}

{
    for p in 2 4 6 8 10 12 16 20; do attacked "rankswap p = $p" rankswap --p $p; done
    for p in 10 20 30; do attacked "cycle p = $p" rankswap --partner cycle --p $p; done
    for p in 50 20 10; do attacked "pbuckets $p buckets" pbuckets --p $p; done
    for p in 5 10 20; do attacked "pdistribution p = $p" pdistribution --p $p; done
    for k in 3 5 10; do attacked "mdav k = $k" microagg --k $k --algorithm mdav; done
    for k in 10 100; do attacked "individual ranking k = $k" microagg --k $k --algorithm individual-ranking; done
    for k in 3 10; do attacked "fuzzy k = $k" fuzzy --k $k --m1 1.5 --m2 1.5; done
    for level in 0.01 0.1 0.5; do attacked "noise $level" noise --level $level; done
    for mu in 10 3 1; do attacked "copula mu = $mu" copula --mu $mu; done
} >"$work/rates"

awk -F, '
    { sum[$1, $2] += $3; n[$1, $2]++; if (!($1 in seen)) { seen[$1]; order[++rows] = $1 } }
    END {
        columns = split("am;dbrl2;md;md0;kernel;gower;prl;rsld;microagg;likelihood;involution;am one-to-one;likelihood one-to-one;likelihood balanced", names, ";")
        line = "masking"
        for (k = 1; k <= columns; k++) line = line "," names[k]
        print line
        for (row = 1; row <= rows; row++) {
            line = order[row]
            for (k = 1; k <= columns; k++)
                line = line "," ((order[row], names[k]) in n ? sprintf("%.4f", sum[order[row], names[k]] / n[order[row], names[k]]) : "")
            print line
        }
    }' "$work/rates" >"$here/attacks.csv"
