#!/bin/sh
# Measures what docs/likelihood.md shows, and draws it: likelihood.csv and likelihood.svg beside this script.
#
#   docs/likelihood.sh census.csv        (the census file of the literature, 1080 x 13; minutes; needs sdcrisk on the path)
#
# Rates are means over five masked files and over intruders who know the first 1, 2, ..., 7 attributes.
set -eu
original=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for p in 2 4 6 8 10 12 14 16 18 20; do
    for seed in 1 2 3 4 5; do
        sdcrisk mask rankswap --p $p --seed $seed --quiet --statement "$work/s.json" -o "$work/m.csv" "$original" 2>"$work/notes"
        for assign in best balanced; do
            methods=am,rsld,likelihood
            [ $assign = best ] || methods=likelihood
            sdcrisk link --method $methods --statement "$work/s.json" --known sweep:7 --assign $assign --format csv \
                "$original" "$work/m.csv" 2>"$work/notes" |
                awk -F, -v p=$p -v assign=$assign \
                    'NR > 1 { print p "," (assign == "best" ? $1 : "balanced") "," $8 }'
            rm "$work/notes"
        done
        rm "$work/s.json" "$work/m.csv"
    done
done >"$work/rates"

awk -F, '
    { sum[$1, $2] += $3; n[$1, $2]++; seen[$1] }
    END {
        print "p,am,rsld,likelihood,balanced"
        for (p = 2; p <= 20; p += 2) {
            line = p
            split("am rsld likelihood balanced", methods, " ")
            for (k = 1; k <= 4; k++) line = line sprintf(",%.4f", sum[p, methods[k]] / n[p, methods[k]])
            print line
        }
    }' "$work/rates" >"$here/likelihood.csv"

awk -F, '
    function x(p) { return 60 + (p - 2) * 25 }
    function y(rate) { return 300 - rate * 270 }
    NR == 1 { for (k = 2; k <= 5; k++) name[k] = $k; next }
    { for (k = 2; k <= 5; k++) { points[k] = points[k] sprintf(" %.1f,%.1f", x($1), y($k)); last[k] = $k } ps[NR] = $1 }
    END {
        print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 660 350\" font-family=\"sans-serif\" font-size=\"12\">"
        print "<rect width=\"660\" height=\"350\" fill=\"white\"/>"
        for (rate = 0; rate <= 1.001; rate += 0.2) {
            printf "<line x1=\"60\" x2=\"510\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>", y(rate), y(rate)
            printf "<text x=\"52\" y=\"%.1f\" text-anchor=\"end\">%d %%</text>\n", y(rate) + 4, rate * 100 + 0.5
        }
        for (k in ps) printf "<text x=\"%.1f\" y=\"318\" text-anchor=\"middle\">%s</text>\n", x(ps[k]), ps[k]
        print "<text x=\"285\" y=\"340\" text-anchor=\"middle\">p of rank swapping, percent of the records</text>"
        print "<text x=\"60\" y=\"18\">correct links</text>"
        split("- #888 #1f77b4 #d98200 #c0392b", colour, " ")
        split("- nearest_record_(am) published_attack_(rsld) likelihood likelihood,_balanced", label, " ")
        for (k = 2; k <= 5; k++) {
            gsub("_", " ", label[k])
            printf "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"%s\"/>\n", colour[k], points[k]
            # The legend, from the highest curve down.
            printf "<line x1=\"330\" x2=\"355\" y1=\"%d\" y2=\"%d\" stroke=\"%s\" stroke-width=\"2\"/>", 128 - 18 * k, 128 - 18 * k, colour[k]
            printf "<text x=\"362\" y=\"%d\">%s</text>\n", 132 - 18 * k, label[k]
        }
        print "</svg>"
    }' "$here/likelihood.csv" >"$here/likelihood.svg"
