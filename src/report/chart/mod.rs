//! Pictures: SVG that needs nothing else, reads in light and dark and without colours, and says in words what it shows.

pub mod axis;
pub mod histogram;
pub mod line;
pub mod map;
pub mod marks;
pub mod picture;
pub mod plot;
pub mod style;
