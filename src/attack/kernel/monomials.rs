//! Polynomial kernels as inner products: of vectors of monomials, which say in another way what costs are.

use crate::{attack::points::by_record, table::matrix::Matrix};

/// The squared distance of a polynomial kernel is that of vectors of monomials, `Π x_k^{α_k}` times the root of `d! / ((d − |α|)! Π α_k!)`.
/// These are the monomials but the constant one, in an order in which each follows from one before.
#[derive(Debug)]
pub(super) struct Monomials {
    /// Each is an earlier one (`None`: 1) times a variable.
    steps: Vec<(Option<usize>, usize)>,
    /// Its factor.
    factors: Vec<f64>,
}

impl Monomials {
    pub(super) fn new(variables: usize, degree: u32) -> Self {
        let mut monomials = Self {
            steps: Vec::new(),
            factors: Vec::new(),
        };
        let mut exponents = vec![0_u32; variables];
        monomials.grow(None, 0, 0, degree, &mut exponents);
        monomials
    }

    fn grow(
        &mut self,
        from: Option<usize>,
        first: usize,
        total: u32,
        degree: u32,
        exponents: &mut [u32],
    ) {
        if total == degree {
            return;
        }
        for variable in first..exponents.len() {
            exponents[variable] += 1;
            // d! / ((d − |α|)! Π α_k!), as a product of small quotients.
            let mut multinomial = 1.0;
            let mut chosen = 0;
            for &exponent in exponents.iter() {
                for part in 1..=exponent {
                    multinomial *= f64::from(degree - chosen) / f64::from(part);
                    chosen += 1;
                }
            }
            let place = self.steps.len();
            self.steps.push((from, variable));
            self.factors.push(multinomial.sqrt());
            self.grow(Some(place), variable, total + 1, degree, exponents);
            exponents[variable] -= 1;
        }
    }

    pub(super) fn of_records(&self, matrix: &Matrix) -> Matrix {
        by_record(matrix.n_records(), self.steps.len(), |record, row| {
            let values = matrix.row(record);
            for (place, &(from, variable)) in self.steps.iter().enumerate() {
                row[place] = from.map_or(1.0, |from| row[from]) * values[variable];
            }
            for (cell, factor) in row.iter_mut().zip(&self.factors) {
                *cell *= factor;
            }
        })
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.factors.len()
    }
}

#[cfg(test)]
mod tests {
    use super::{super::product as dot, *};

    /// By hand: (1 + xy)² = 1 + 2xy + x²y², so x maps to (√2 x, x²) beside the constant; in two values there are
    /// √2 x₁, x₁², √2 x₁x₂, √2 x₂, x₂².
    #[test]
    fn degree_two_by_hand() {
        let of = |values: Vec<f64>| {
            let monomials = Monomials::new(values.len(), 2);
            let width = values.len();
            monomials
                .of_records(&Matrix::complete(1, width, values))
                .row(0)
                .to_vec()
        };
        let root = 2.0_f64.sqrt();
        assert_eq!(of(vec![3.0]), [3.0 * root, 9.0]);
        assert_eq!(
            of(vec![3.0, 5.0]),
            [3.0 * root, 9.0, 15.0 * root, 5.0 * root, 25.0]
        );
    }

    /// The inner product of the monomials is the kernel less its constant 1.
    #[test]
    fn monomials_reproduce_the_kernel() {
        let (x, y) = (vec![0.5, -1.25, 2.0], vec![1.5, 0.75, -0.5]);
        for degree in 1..=4 {
            let monomials = Monomials::new(3, degree);
            let of =
                |values: &[f64]| monomials.of_records(&Matrix::complete(1, 3, values.to_vec()));
            let (a, b) = (of(&x), of(&y));
            let expected = (1.0 + dot(&x, &y)).powi(i32::try_from(degree).unwrap()) - 1.0;
            assert!(
                (dot(a.row(0), b.row(0)) - expected).abs() < 1e-12,
                "degree {degree}"
            );
        }
    }
}
