//! The set of parameters.

/// Coefficients that are not 0, by ascending parameter.
pub type SparseRow = Vec<(u32, f64)>;

/// A set of parameters: a box, cut by half-spaces through the origin, by a plane that fixes the scale, and by a semidefinite cone.
///
/// ```text
/// lower ≤ p ≤ upper      a·p ≥ 0 for all a of `half_spaces`      e·p = 1 for `plane`      matrix(p) ⪰ 0 for `semidefinite`
/// ```
#[derive(Debug, Clone, Default)]
pub struct Space {
    /// The least value of each parameter.
    pub lower: Vec<f64>,
    /// The greatest.
    pub upper: Vec<f64>,
    /// Half-spaces `a·p ≥ 0`.
    pub half_spaces: Vec<SparseRow>,
    /// A plane `e·p = 1`.
    pub plane: Option<SparseRow>,
    /// A matrix of the parameters that has no negative eigenvalue.
    pub semidefinite: Option<Semidefinite>,
    /// Whether P is the standard simplex (p ≥ 0, Σp = 1): what the cone search needs.
    pub is_simplex: bool,
}

/// Parameters that are a symmetric matrix: first its diagonal, then the entries above it, row by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Semidefinite {
    /// The order of the matrix.
    pub order: usize,
}

impl Space {
    /// Number of parameters.
    pub fn dimension(&self) -> usize {
        self.lower.len()
    }

    /// The standard simplex.
    pub fn simplex(dimension: usize) -> Self {
        let all = 0..u32::try_from(dimension).unwrap_or(u32::MAX);
        Self {
            lower: vec![0.0; dimension],
            upper: vec![1.0; dimension],
            plane: Some(all.map(|parameter| (parameter, 1.0)).collect()),
            is_simplex: true,
            ..Self::default()
        }
    }
}

impl Semidefinite {
    /// The half-space `uᵀ M u ≥ 0` that the direction u stands for: `u_k²` on the diagonal, `2 u_k u_l` above it.
    pub fn half_space(self, direction: &[f64]) -> SparseRow {
        let mut row = Vec::new();
        let mut push = |value: f64| {
            let place = row.len();
            row.push((u32::try_from(place).unwrap_or(u32::MAX), value));
        };
        for u in direction {
            push(u * u);
        }
        for (k, u) in direction.iter().enumerate() {
            for v in &direction[k + 1..] {
                push(2.0 * (u * v));
            }
        }
        row
    }
}
