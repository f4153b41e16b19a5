//! Comparison with scipy 1.17.1 and statsmodels 0.15.0.

use super::*;

fn close(ours: f64, theirs: f64) {
    assert!(
        (ours - theirs).abs() <= 1e-6 * theirs.abs() + 1e-300,
        "{ours} is not {theirs}"
    );
}

#[test]
fn students_t_is_that_of_scipy() {
    // 2 * scipy.stats.t.sf(abs(t), freedom)
    for (t, freedom, p) in [
        (2.0, 5.0, 0.101_939_478_829_858_35),
        (0.3, 1.5, 0.800_472_196_803_585_1),
        (-4.2, 30.0, 0.000_219_788_434_216_019_78),
        (2.5, 1_000.0, 0.012_578_567_801_090_807),
        (3.1, 2_500.0, 0.001_956_762_551_731_705),
        (1.2, 49_998.0, 0.230_145_026_407_945_37),
        (12.0, 60.0, 1.378_632_264_181_775e-17),
    ] {
        close(student(t, freedom), p);
    }
    assert_eq!(student(f64::NAN, 3.0), 1.0);
    assert_eq!(student(f64::INFINITY, 3.0), 0.0);
    assert_eq!(student(2.0, 0.0), 1.0);
}

#[test]
fn students_quantiles_are_those_of_scipy() {
    // scipy.stats.t.ppf(0.975, freedom)
    for (freedom, t) in [
        (1.0, 12.706_204_736_174_694),
        (2.5, 3.574_654_842_003_681_7),
        (10.0, 2.228_138_851_986_274),
        (100.0, 1.983_971_518_523_551_8),
        (1_999.0, 1.961_151_420_170_561_3),
        (2_500.0, 1.960_913_344_795_567),
        (50_000.0, 1.960_011_431_093_679_8),
    ] {
        close(student_quantile(0.95, freedom).unwrap(), t);
    }
    assert_eq!(student_quantile(0.95, 0.0), None);
}

#[test]
fn normal_and_chi_squared_and_f_are_those_of_scipy() {
    // 2 * scipy.stats.norm.sf(abs(z))
    for (z, p) in [
        (0.0, 1.0),
        (1.96, 0.049_995_790_296_440_87),
        (-3.5, 0.000_465_258_158_071_050_03),
        (8.0, 1.244_192_114_854_348e-15),
    ] {
        close(normal(z), p);
    }
    // scipy.stats.chi2.sf
    for (statistic, freedom, p) in [
        (3.2, 1.0, 0.073_638_270_120_302_58),
        (12.5, 6.0, 0.051_699_974_835_848_345),
        (250.0, 200.0, 0.009_379_131_668_826_098),
        (90.0, 11.0, 1.667_153_477_444_699_5e-14),
    ] {
        close(chi_squared(statistic, freedom), p);
    }
    // scipy.stats.f.sf
    for (statistic, first, second, p) in [
        (3.2, 1.0, 10.0, 0.103_920_520_698_437_85),
        (2.1, 6.0, 40.5, 0.074_323_895_021_704_65),
        (5.5, 3.0, 2_000.0, 0.000_922_721_496_978_362_7),
        (4.0, 29.0, 15_000.0, 2.650_821_332_784_642e-12),
    ] {
        close(fisher_f(statistic, first, second), p);
    }
    // Computed from the limit, which is this close.
    assert!((fisher_f(1.5, 5.0, 1e5) - 0.186_040_673_105_081_46).abs() < 1e-4);
    assert_eq!(chi_squared(f64::NAN, 1.0), 1.0);
    assert_eq!(chi_squared(f64::INFINITY, 1.0), 0.0);
    assert_eq!(fisher_f(-1.0, 1.0, 1.0), 1.0);
    assert_eq!(fisher_f(f64::INFINITY, 1.0, 9.0), 0.0);
}

#[test]
fn fishers_exact_test_is_that_of_scipy() {
    // scipy.stats.fisher_exact([[both, only_first], [only_second, neither]])
    for (table, p) in [
        ([8, 2, 1, 5], 0.034_965_034_965_034_975),
        ([0, 5, 5, 0], 0.007_936_507_936_507_938),
        ([3, 1, 1, 3], 0.485_714_285_714_285_65),
        ([10, 90, 30, 870], 0.004_181_274_526_065_613),
        ([12, 388, 4, 1_596], 2.950_237_193_205_655e-6),
    ] {
        close(fisher_exact(table[0], table[1], table[2], table[3]), p);
    }
    assert_eq!(fisher_exact(0, 0, 0, 0), 1.0);
    assert_eq!(fisher_exact(5, 0, 7, 0), 1.0);
}

#[test]
fn holms_correction_is_that_of_statsmodels() {
    // statsmodels.stats.multitest.multipletests(..., method="holm")
    let adjusted = holm(&[0.01, 0.04, 0.03, 0.005, 0.5]);
    for (ours, theirs) in adjusted.iter().zip([0.04, 0.09, 0.09, 0.025, 0.5]) {
        close(*ours, theirs);
    }
    assert!(holm(&[]).is_empty());
}
