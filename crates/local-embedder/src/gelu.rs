//! The activation of BERT, x Φ(x), one component at a time, in a form that the compiler vectorizes.

use candle_core::{CpuStorage, CustomOp1, Layout, Result, Shape, Tensor};

/// x Φ(x) for every component.
pub(crate) fn gelu(states: &Tensor) -> Result<Tensor> {
    states.contiguous()?.apply_op1_no_bwd(&Gelu)
}

struct Gelu;

impl CustomOp1 for Gelu {
    fn name(&self) -> &'static str {
        "gelu"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let values = storage.as_slice::<f32>()?;
        let start = layout.start_offset();
        let values = &values[start..start + layout.shape().elem_count()];
        let values: Vec<f32> = values.iter().map(|&x| gelu_of(x)).collect();
        Ok((CpuStorage::F32(values), layout.shape().clone()))
    }
}

/// Abramowitz and Stegun, 7.1.26. Its error of erf is below 1.5e-7, which is the precision of a
/// 32-bit float.
#[inline]
fn gelu_of(x: f32) -> f32 {
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let polynomial = ((((1.061_405_4 * t - 1.453_152) * t + 1.421_413_7) * t - 0.284_496_74) * t
        + 0.254_829_6)
        * t;
    // Half of 1 − erf(z). For negative x this is Φ(x) itself, so no precision is lost by
    // subtraction.
    let tail = 0.5 * polynomial * exp_of_negative(-z * z);
    if x < 0.0 { x * tail } else { x - x * tail }
}

/// e^x for x ≤ 0: a power of two built from its bits, times a polynomial.
#[inline]
fn exp_of_negative(x: f32) -> f32 {
    let power = (x.max(-87.0) * std::f32::consts::LOG2_E).round_ties_even();
    let rest = x.max(-87.0) - power * std::f32::consts::LN_2;
    let series = 1.0
        + rest
            * (1.0
                + rest
                    * (0.5
                        + rest
                            * (1.0 / 6.0
                                + rest * (1.0 / 24.0 + rest * (1.0 / 120.0 + rest / 720.0)))));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between -126 and 0, plus 127"
    )]
    let bits = ((power as i32 + 127) as u32) << 23;
    series * f32::from_bits(bits)
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    #[test]
    fn values_are_exact_to_the_precision_of_a_float() {
        let values: Vec<f32> = (-10_000_i16..=10_000)
            .map(|step| f32::from(step) / 1000.0)
            .collect();
        let states = Tensor::new(values.as_slice(), &Device::Cpu).unwrap();
        let exact = states
            .to_dtype(candle_core::DType::F64)
            .unwrap()
            .gelu_erf()
            .unwrap();
        let (exact, ours) = (
            exact.to_vec1::<f64>().unwrap(),
            gelu(&states).unwrap().to_vec1::<f32>().unwrap(),
        );
        for ((x, exact), ours) in values.iter().zip(exact).zip(ours) {
            assert!(
                (exact - f64::from(ours)).abs() < 1e-6,
                "{x}: {ours}, not {exact}"
            );
        }
    }

    #[test]
    fn extreme_values_are_correct() {
        assert!(gelu_of(0.0).abs() < 1e-30);
        assert!((gelu_of(1e6) - 1e6).abs() < 1e-3);
        assert!(gelu_of(-1e3).abs() < 1e-30);
        assert!(gelu_of(f32::NAN).is_nan());
    }

    #[test]
    fn a_slice_of_a_tensor_starts_at_its_offset() {
        let states = Tensor::new(&[[9_f32, 9.0], [1.0, -1.0]], &Device::Cpu).unwrap();
        let part = gelu(&states.narrow(0, 1, 1).unwrap())
            .unwrap()
            .to_vec2::<f32>()
            .unwrap();
        assert!((part[0][0] - 0.841_345).abs() < 1e-5 && (part[0][1] + 0.158_655).abs() < 1e-5);
    }
}
