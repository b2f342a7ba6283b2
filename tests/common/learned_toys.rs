//! Toy files of learned distances with known optima.
//!
//! Source: the authors' own code to the chapter of D. Abril, G. Navarro-Arribas, V. Torra on privacy preserving data mining and disclosure
//! risk. It works on one file of twelve records and one of three.
#![allow(dead_code, reason = "no program uses all of it")]

/// Twelve records, seven attributes.
pub const TWELVE: &str = "\
A,B,C,D,E,F,G
15,23,42.01,23,50,1150,37
12,43,59.93,28,70,1960,37
64,229,319.27,12,84,1008,25
12,45,62.07,29,73,2117,30
28,39,74.21,9,30,270,40
71,102,191.5,10,63,630,20
23,64,95.16,9,74,666,10
25,102,138.14,72,30,2160,80
48,230,301.78,26,30,780,35
32,50,90.62,6,45,270,15
90,200,318.4,8,45,360,15
16,100,125.56,34,55,1870,45
";

/// The same, microaggregated: the attributes of each block have the averages of the groups in [`GROUPS`].
///
/// The best weights link nine records: three are given up (the published objective). That rests on the groups as the authors' program
/// made them: with the MDAV of today the four records of the last group of A and B are two groups, and two records are given up.
/// The plain distance links seven.
pub const TWELVE_MASKED: &str = "\
A,B,C,D,E,F,G
13.5,33,121.58166666666666,35.333333333333336,51.333333333333336,802,34.25
13.5,33,121.58166666666666,35.333333333333336,51.333333333333336,2026.75,48
77,214.5,181.52666666666667,9,56.833333333333336,802,34.25
17.5,54.5,121.58166666666666,35.333333333333336,51.333333333333336,2026.75,48
25.25,72.75,181.52666666666667,9,56.833333333333336,802,34.25
59.5,166,181.52666666666667,9,56.833333333333336,481.5,15
17.5,54.5,181.52666666666667,9,56.833333333333336,481.5,15
25.25,72.75,121.58166666666666,35.333333333333336,51.333333333333336,2026.75,48
59.5,166,121.58166666666666,35.333333333333336,51.333333333333336,802,34.25
25.25,72.75,181.52666666666667,9,56.833333333333336,481.5,15
77,214.5,181.52666666666667,9,56.833333333333336,481.5,15
25.25,72.75,121.58166666666666,35.333333333333336,51.333333333333336,2026.75,48
";

/// The groups behind [`TWELVE_MASKED`]: of A and B (k = 2, four records left at the end), of C, D and E (k = 6), of F and G (k = 4).
/// Records count from 0.
pub const GROUPS: [(&[usize], &[&[usize]]); 3] = [
    (
        &[0, 1],
        &[&[2, 10], &[0, 1], &[5, 8], &[3, 6], &[4, 7, 9, 11]],
    ),
    (&[2, 3, 4], &[&[0, 1, 3, 7, 8, 11], &[2, 4, 5, 6, 9, 10]]),
    (&[5, 6], &[&[1, 3, 7, 11], &[5, 6, 9, 10], &[0, 2, 4, 8]]),
];

/// Three records; A is not masked, so the weights (1, 0, 0) link all of them.
pub const THREE: &str = "A,B,C\n1,30,27\n2,50,47\n3,25,31\n";

/// The same, masked.
pub const THREE_MASKED: &str = "A,B,C\n1,20,47\n2,20,47\n3,23,31\n";
