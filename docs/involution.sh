#!/bin/sh
# Measures how the share of the people whom an intruder knows decides what undoing swaps finds, and draws it: involution.csv and
# involution.svg beside this script.
#
#   docs/involution.sh census.csv        (the census file of the literature, 1080 x 13; minutes; needs sdcrisk on the path)
#
# Rates are means over three masked files, of intruders who know the first 2, 3, 5, 7 attributes of some of the people, drawn at random.
set -eu
original=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

records=$(($(wc -l <"$original") - 1))
for p in 5 10 20; do
    for seed in 1 2 3; do
        sdcrisk mask rankswap --p $p --seed $seed --quiet --statement "$work/s.json" -o "$work/m.csv" "$original" 2>"$work/notes"
        for share in 5 10 20 30 40 50 60 70 80 90 100; do
            sdcrisk link --method involution --statement "$work/s.json" --known sweep:7 --known-records $((records * share / 100)) \
                --seed $seed --format csv "$original" "$work/m.csv" 2>"$work/notes" |
                awk -F, -v p=$p -v share=$share '$3 == 2 || $3 == 3 || $3 == 5 || $3 == 7 { print p "," share "," $3 "," $8 "," $12 / $4 }'
        done
        rm "$work/s.json" "$work/m.csv"
    done
done >"$work/rates"

awk -F, '
    { key = $1 "," $2 "," $3; if (!(key in n)) order[++rows] = key; n[key]++; rate[key] += $4; certain[key] += $5 }
    END {
        print "p,people_known_percent,attributes_known,correct,certain"
        for (row = 1; row <= rows; row++) {
            key = order[row]
            printf "%s,%.4f,%.4f\n", key, rate[key] / n[key], certain[key] / n[key]
        }
    }' "$work/rates" >"$here/involution.csv"

awk -F, '
    function x(panel, share) { return 50 + panel * 200 + share * 1.75 }
    function y(rate) { return 260 - rate * 220 }
    NR == 1 { next }
    {
        panel = $1 == 5 ? 0 : $1 == 10 ? 1 : 2
        points[panel, $3] = points[panel, $3] sprintf(" %.1f,%.1f", x(panel, $2), y($4))
    }
    END {
        print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 660 320\" font-family=\"sans-serif\" font-size=\"12\">"
        print "<rect width=\"660\" height=\"320\" fill=\"white\"/>"
        split("2 3 5 7", attributes, " ")
        split("#888 #1f77b4 #d98200 #c0392b", colour, " ")
        for (panel = 0; panel < 3; panel++) {
            for (rate = 0; rate <= 1.001; rate += 0.2) {
                printf "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>", x(panel, 0), x(panel, 100), y(rate), y(rate)
                if (panel == 0) printf "<text x=\"44\" y=\"%.1f\" text-anchor=\"end\">%d %%</text>\n", y(rate) + 4, rate * 100 + 0.5
            }
            for (share = 0; share <= 100; share += 25)
                printf "<text x=\"%.1f\" y=\"276\" text-anchor=\"middle\">%d</text>\n", x(panel, share), share
            printf "<text x=\"%.1f\" y=\"32\" text-anchor=\"middle\">p = %d</text>\n", x(panel, 50), panel == 0 ? 5 : panel * 10
            for (k = 1; k <= 4; k++)
                printf "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"%s\"/>\n", colour[k], points[panel, attributes[k]]
        }
        print "<text x=\"337\" y=\"294\" text-anchor=\"middle\">people whom the intruder knows, percent</text>"
        print "<text x=\"50\" y=\"14\">correct links</text>"
        for (k = 1; k <= 4; k++) {
            printf "<line x1=\"%d\" x2=\"%d\" y1=\"309\" y2=\"309\" stroke=\"%s\" stroke-width=\"2\"/>", 100 + 130 * (k - 1), 120 + 130 * (k - 1), colour[k]
            printf "<text x=\"%d\" y=\"313\">%d attributes</text>\n", 126 + 130 * (k - 1), attributes[k]
        }
        print "</svg>"
    }' "$here/involution.csv" >"$here/involution.svg"
