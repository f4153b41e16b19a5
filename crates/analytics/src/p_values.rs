//! Probabilities of test statistics, and their correction for several tests. The distributions are
//! those of the crate `statrs`.

use statrs::distribution::{ChiSquared, ContinuousCDF, FisherSnedecor, Normal, StudentsT};
use statrs::function::gamma::ln_gamma;

/// From this many degrees of freedom, Student's t is computed from the normal distribution.
const MANY: f64 = 2_000.0;

/// The two-sided p-value of Student's t.
pub fn student(t: f64, freedom: f64) -> f64 {
    if t.is_nan() || freedom.is_nan() || freedom <= 0.0 {
        return 1.0;
    }
    if t.is_infinite() {
        return 0.0;
    }
    if freedom > MANY {
        return normal(t_as_normal(t.abs(), freedom));
    }
    let tail = StudentsT::new(0.0, 1.0, freedom).map_or(0.5, |student| student.sf(t.abs()));
    probability(2.0 * tail)
}

/// Wallace's (1959) transformation of t to a normal deviate. Its error is below 10⁻⁶ for this many
/// degrees of freedom.
fn t_as_normal(t: f64, freedom: f64) -> f64 {
    let shrink = (8.0 * freedom + 1.0) / (8.0 * freedom + 3.0);
    shrink * (freedom * (t * t / freedom).ln_1p()).sqrt()
}

/// The two-sided quantile: the probability beyond ±t is `1 − confidence`.
pub fn student_quantile(confidence: f64, freedom: f64) -> Option<f64> {
    let tail = f64::midpoint(1.0, confidence);
    if freedom > MANY {
        // The first terms of Cornish and Fisher's expansion.
        let z = Normal::standard().inverse_cdf(tail);
        return Some(z + (z * z * z + z) / (4.0 * freedom));
    }
    let student = StudentsT::new(0.0, 1.0, freedom).ok()?;
    Some(student.inverse_cdf(tail))
}

/// The two-sided p-value of a normal deviate.
pub fn normal(z: f64) -> f64 {
    if z.is_nan() {
        return 1.0;
    }
    probability(2.0 * Normal::standard().sf(z.abs()))
}

/// The p-value of chi²: the probability of a value at least as large.
pub fn chi_squared(statistic: f64, freedom: f64) -> f64 {
    if statistic.is_nan() || statistic <= 0.0 {
        return 1.0;
    }
    if statistic.is_infinite() {
        return 0.0;
    }
    probability(ChiSquared::new(freedom).map_or(1.0, |chi| chi.sf(statistic)))
}

/// The p-value of F: the probability of a value at least as large.
pub fn fisher_f(statistic: f64, freedom_1: f64, freedom_2: f64) -> f64 {
    if statistic.is_nan() || statistic <= 0.0 {
        return 1.0;
    }
    if statistic.is_infinite() {
        return 0.0;
    }
    if freedom_2 > 10.0 * MANY {
        return chi_squared(statistic * freedom_1, freedom_1);
    }
    probability(FisherSnedecor::new(freedom_1, freedom_2).map_or(1.0, |f| f.sf(statistic)))
}

/// Fisher's exact test of a two by two table, two-sided: sums the tables with the same margins that
/// are at most as likely as this one.
pub fn fisher_exact(both: usize, only_first: usize, only_second: usize, neither: usize) -> f64 {
    let (first, second) = (both + only_first, both + only_second);
    let all = first + only_second + neither;
    let ln_choose = |n: usize, k: usize| {
        let (n, k) = (n as f64, k as f64);
        ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0)
    };
    let margins = ln_choose(all, second);
    let ln_likelihood =
        |x: usize| ln_choose(first, x) + ln_choose(all - first, second - x) - margins;
    let least = (first + second).saturating_sub(all);
    let most = first.min(second);
    // The tolerance for rounding is that of R.
    let limit = ln_likelihood(both) + 1e-7;
    let p = (least..=most)
        .map(ln_likelihood)
        .filter(|&likelihood| likelihood <= limit)
        .map(f64::exp)
        .sum();
    probability(p)
}

/// Holm's (1979) correction: p-values that hold for all tests together, in the same order.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut before = 0.0_f64;
    for (done, &test) in order.iter().enumerate() {
        let left = (p_values.len() - done) as f64;
        before = before.max(probability(p_values[test] * left));
        adjusted[test] = before;
    }
    adjusted
}

fn probability(p: f64) -> f64 {
    if p.is_nan() { 1.0 } else { p.clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests;
