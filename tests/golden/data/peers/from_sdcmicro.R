# What sdcMicro says of reference files: writes sdcmicro.json.
#
#     Rscript from_sdcmicro.R SDCRISK PROJECT REFERENCE_FILES > sdcmicro.json
#
# Needs the R packages sdcMicro 5.8.1 and jsonlite. SDCRISK is the program, which only masks here (fixed seeds); PROJECT the folder of the
# project (synthetic-census.csv is in its data/), REFERENCE_FILES the folder of testdata.csv, francdat.csv, census.csv, eia10.csv and
# tarragona.csv. Of the 4580 records of testdata every 57th is written out, and sums of all.
#
# Differences of definition:
# - a missing key value matches every value (alpha = 1, the default), as ours does by default.
# - special uniques: of records with gaps sdcMicro takes a gap for a value that matches nothing, ours does not; only files without gaps are
#   compared. DIS is worked out in single precision.
# - l-diversity: each gap of the confidential attribute counts as another value (rent of synthetic-census.csv among records of equal sex and
#   education: 73 "values" where there are 31 and 42 gaps), so gaps make a file look safe; ours leaves them out. Not compared.
# - IL1s and IL1 are sums over the cells, IL1 in percent.
suppressPackageStartupMessages({library(sdcMicro); library(jsonlite)})
arguments <- commandArgs(trailingOnly = TRUE)
program <- arguments[1]
project <- arguments[2]
folder <- arguments[3]
file <- function(name) {
  bundled <- file.path(project, "data", name)
  path <- if (file.exists(bundled)) bundled else file.path(folder, name)
  as.data.frame(read.csv(path, na.strings = c("", "NA")))
}
every <- function(n, step) seq(1, n, by = step)

risk <- function(name, keys, weight, step) {
  data <- file(name)
  f <- freqCalc(data, keyVars = keys, w = weight)
  r <- measure_risk(data, keyVars = keys, w = weight)
  # The exact formula takes the square of the frequency for each record: for the toy file only.
  exact <- if (is.null(weight) || nrow(data) > 100) NULL else indivRisk(f, method = "exact")$rk
  at <- every(nrow(data), step)
  list(
    file = name, quasi_identifiers = keys, weight = weight,
    unique = f$n1, below_k_2 = f$n1, below_k_3 = sum(f$fk < 3), below_k_5 = sum(f$fk < 5),
    individual_risk_global = r$global_risk, expected_reidentifications = r$global_risk_ER,
    individual_risk_greatest = max(r$Res[, 1]), sum_of_frequencies = sum(f$fk), sum_of_population_frequencies = sum(f$Fk),
    inverse_population_frequencies = sum(1 / f$Fk), inverse_population_frequencies_of_uniques = sum((1 / f$Fk)[f$fk == 1]),
    record = at, frequency = f$fk[at], population_frequency = f$Fk[at], individual_risk = unname(r$Res[at, 1]),
    individual_risk_exact = if (is.null(exact)) NULL else exact[at]
  )
}

special_uniques <- function(name, keys, step, fraction, original) {
  data <- file(name)
  s <- suda2(data, variables = keys, DisFraction = fraction, original_scores = original)
  at <- every(nrow(data), step)
  list(
    file = name, quasi_identifiers = keys, fraction = fraction, original_scores = original,
    records_with_score = sum(s$score > 0), sum_of_scores = sum(s$score), greatest_score = max(s$score),
    sum_of_dis = sum(s$disScore), greatest_dis = max(s$disScore),
    contribution = setNames(as.list(s$attribute_contributions$contribution), keys),
    record = at, score = s$score[at], dis = s$disScore[at]
  )
}

diversity <- function(name, keys, sensitive, c, step) {
  data <- file(name)
  l <- ldiversity(data, keyVars = keys, ldiv_index = sensitive, l_recurs_c = c)
  l <- unclass(l)
  at <- every(nrow(data), step)
  list(
    file = name, quasi_identifiers = keys, sensitive = sensitive, c = c,
    l_diversity = min(l[, 1]), entropy_l_diversity = min(l[, 2]), recursive_l_diversity = min(l[, 3]),
    record = at, distinct = unname(l[at, 1]), entropy = unname(l[at, 2]), recursive = unname(l[at, 3])
  )
}

pair <- function(name, columns, masking) {
  original <- file(name)
  output <- tempfile(fileext = ".csv")
  call <- c("--quiet", "mask", strsplit(masking, " ")[[1]], "--attributes", columns, "-o", output, file.path(folder, name))
  stopifnot(system2(program, call) == 0)
  masked <- read.csv(output)
  stopifnot(identical(names(original), names(masked)))
  correlation <- tryCatch(as.numeric(IL_correl(original, masked)), error = function(e) NULL)
  list(
    file = name, call = paste("sdcrisk mask", masking, "--attributes", columns, name),
    cells = nrow(original) * ncol(original),
    sum_il1s = dUtility(original, masked, method = "IL1s"), sum_il1_percent = dUtility(original, masked, method = "IL1"),
    eigen = dUtility(original, masked, method = "eigen"), il_correl = correlation, drisk = dRisk(original, masked)
  )
}

seven <- c("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")
franc <- c("Key1", "Key2", "Key3", "Key4")
document <- list(
  tool = "sdcMicro", version = as.character(packageVersion("sdcMicro")), R = R.version.string,
  call = "freqCalc, measure_risk, indivRisk, suda2, ldiversity, dUtility, IL_correl, dRisk with the arguments in each case",
  made_by = "from_sdcmicro.R SDCRISK PROJECT REFERENCE_FILES",
  risk = list(
    risk("francdat.csv", franc, "w", 1),
    risk("francdat.csv", franc, NULL, 1),
    risk("testdata.csv", seven, "sampling_weight", 57),
    risk("testdata.csv", seven, NULL, 57),
    risk("testdata.csv", c(seven, "age"), "sampling_weight", 57),
    risk("testdata.csv", c("urbrur", "sex"), "sampling_weight", 57),
    risk("synthetic-census.csv", c("sex", "education", "interest", "rent"), NULL, 13),
    risk("synthetic-census.csv", c("region", "sex", "rent"), "age", 13)
  ),
  suda = list(
    special_uniques("francdat.csv", franc, 1, 0.01, TRUE),
    special_uniques("francdat.csv", franc, 1, 0.01, FALSE),
    special_uniques("testdata.csv", seven, 57, 0.01, TRUE),
    special_uniques("testdata.csv", seven, 57, 0.1, TRUE),
    special_uniques("testdata.csv", seven, 57, 0.01, FALSE)
  ),
  diversity = list(
    diversity("francdat.csv", c("Key2", "Key3"), "Num1", 2, 1),
    diversity("testdata.csv", seven, "hhcivil", 2, 57),
    diversity("testdata.csv", c("urbrur", "sex"), "hhcivil", 2, 57),
    diversity("testdata.csv", c("urbrur", "sex"), "water", 2, 57),
    diversity("testdata.csv", c("sex", "hhcivil"), "roof", 2, 57),
    diversity("testdata.csv", c("roof", "sex"), "age", 2, 57),
    diversity("testdata.csv", c("roof", "sex"), "age", 4, 57)
  ),
  pairs = list(
    pair("census.csv", "1-13", "rankswap --p 10 --seed 1"),
    pair("census.csv", "1-13", "microagg --decimals full --k 5"),
    pair("census.csv", "1-13", "noise --decimals full --level 0.1 --seed 1"),
    pair("eia10.csv", "1-10", "rankswap --p 10 --seed 1"),
    pair("tarragona.csv", "1-13", "microagg --decimals full --k 5")
  )
)
cat(toJSON(document, auto_unbox = TRUE, digits = NA, null = "null", pretty = 1), "\n")
