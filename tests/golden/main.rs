//! Figures of papers and hand-worked examples, a file a source.

mod intersection_example;
