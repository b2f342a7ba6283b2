#!/bin/sh
# Measures what every masking loses beside what the strongest attack finds, and draws it: strongest.csv and strongest.svg beside this script.
#
#   docs/strongest.sh FOLDER      (with census.csv, tarragona.csv and eia10.csv, see data/plans/strongest.toml; ten minutes; sdcrisk on the path)
#
# A line a setting: means over its masked files, and the attack with the highest mean rate.
set -eu
data=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sdcrisk evaluate "$here/../data/plans/strongest.toml" --data "$data" --format csv --quiet >"$work/rows.csv"

# Cells in quotes are caveats only.
sed 's/"[^"]*"//g' "$work/rows.csv" | awk -F, '
    NR == 1 {
        for (k = 1; k <= NF; k++) {
            column[$k] = k
            if ($k ~ /^attack:/) { name[++attacks] = substr($k, 8); place[attacks] = k }
        }
        next
    }
    {
        key = $column["setting"]
        if (!(key in files)) {
            order[++rows] = key
            what[key] = $column["file"] "," $column["method"] "," $column["parameters"]
        }
        files[key]++
        il[key] += $column["il"]; pil[key] += $column["loss:pil"]; sse[key] += $column["loss:sse_sst"]
        id[key] += $column["risk:interval_disclosure_rank"]
        for (k = 1; k <= attacks; k++) if ($place[k] != "") { rate[key, k] += $place[k]; runs[key, k]++ }
    }
    END {
        print "file,method,parameters,files,il,pil,sse_sst,interval_disclosure,strongest,attack"
        for (row = 1; row <= rows; row++) {
            key = order[row]; n = files[key]; best = -1
            for (k = 1; k <= attacks; k++)
                if (runs[key, k] && rate[key, k] / runs[key, k] > best) { best = rate[key, k] / runs[key, k]; by = name[k] }
            printf "%s,%d,%.4f,%.4f,%.4f,%.4f,%.4f,%s\n", what[key], n, il[key] / n, pil[key] / n, sse[key] / n, id[key] / n, best, by
        }
    }' >"$here/strongest.csv"

# Both axes are logarithmic: IL from 1 % to 1000 %, links from 1 % to 100 %.
awk -F, '
    function log10(v) { return log(v) / log(10) }
    function x(il) { return left + (log10(il < 0.01 ? 0.01 : il > 10 ? 10 : il) + 2) / 3 * 250 }
    function y(rate) { return 40 - log10(rate < 0.01 ? 0.01 : rate) / 2 * 290 }
    function mark(series, px, py) {
        if (series % 3 == 1) return sprintf("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.2\"/>", px, py)
        if (series % 3 == 2) return sprintf("<rect x=\"%.1f\" y=\"%.1f\" width=\"6\" height=\"6\"/>", px - 3, py - 3)
        return sprintf("<path d=\"M%.1f %.1fl4 7h-8z\"/>", px, py - 4)
    }
    function series_of(method, parameters) {
        if (method == "rankswap") return parameters ~ /cycle/ ? 2 : 1
        if (method == "pdistribution") return 3
        if (method == "pbuckets") return 4
        if (method == "microagg") return parameters ~ /exchange/ ? 6 : 5
        if (method == "fuzzy") return 7
        if (method == "noise") return parameters ~ /correlated/ ? 9 : 8
        return 10
    }
    BEGIN {
        split("rankswap;rankswap, cycle;pdistribution;pbuckets;microagg, mdav;microagg, exchange;fuzzy;noise;noise, correlated;copula", label, ";")
        split("#d98200 #8c564b #e377c2 #bcbd22 #1f77b4 #17becf #7f7f7f #2ca02c #9467bd #c0392b", colour, " ")
        split("census.csv tarragona.csv eia10.csv", file, " ")
        split("Census, 7 attributes known;Tarragona, 7 attributes known;EIA (1080 rows), 5 attributes known", title, ";")
        for (k = 1; k <= 3; k++) panel[file[k]] = k
    }
    NR > 1 && $1 in panel {
        p = panel[$1]; s = series_of($2, $3); left = 60 + (p - 1) * 290
        px = x($5); py = y($9)
        line[p, s] = line[p, s] sprintf(" %.1f,%.1f", px, py)
        marks[p, s] = marks[p, s] mark(s, px, py)
    }
    END {
        print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 910 440\" font-family=\"sans-serif\" font-size=\"12\">"
        print "<rect width=\"910\" height=\"440\" fill=\"white\"/>"
        xs = split("0.01 0.03 0.1 0.3 1 3 10", xt, " "); ys = split("0.01 0.02 0.05 0.1 0.2 0.5 1", yt, " ")
        for (p = 1; p <= 3; p++) {
            left = 60 + (p - 1) * 290
            for (k = 1; k <= ys; k++) {
                printf "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>", left, left + 250, y(yt[k]), y(yt[k])
                if (p == 1) printf "<text x=\"54\" y=\"%.1f\" text-anchor=\"end\">%s %%</text>\n", y(yt[k]) + 4, yt[k] * 100
            }
            for (k = 1; k <= xs; k++) {
                printf "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"40\" y2=\"330\" stroke=\"#eee\"/>", x(xt[k]), x(xt[k])
                printf "<text x=\"%.1f\" y=\"346\" text-anchor=\"middle\">%s</text>\n", x(xt[k]), xt[k] * 100
            }
            printf "<text x=\"%.1f\" y=\"30\" text-anchor=\"middle\" font-weight=\"bold\">%s</text>\n", left + 125, title[p]
            for (s = 1; s <= 10; s++) if (line[p, s] != "") {
                printf "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" points=\"%s\"/>", colour[s], s == 10 ? 2.5 : 1.2, line[p, s]
                printf "<g fill=\"%s\">%s</g>\n", colour[s], marks[p, s]
            }
        }
        print "<text x=\"475\" y=\"366\" text-anchor=\"middle\">information loss (IL), percent</text>"
        print "<text x=\"12\" y=\"14\">correct links of the strongest attack</text>"
        for (s = 1; s <= 10; s++) {
            px = 70 + 165 * ((s - 1) % 5); py = s > 5 ? 420 : 396
            printf "<g fill=\"%s\">%s</g><text x=\"%d\" y=\"%d\">%s</text>\n", colour[s], mark(s, px, py), px + 10, py + 4, label[s]
        }
        print "</svg>"
    }' "$here/strongest.csv" >"$here/strongest.svg"
