use super::*;

/// Passages that cover all of the question.
fn text(ids: &[i64]) -> Vec<TextHit> {
    covering(1.0, ids)
}

fn covering(covered: f64, ids: &[i64]) -> Vec<TextHit> {
    ids.iter()
        .map(|&chunk_id| TextHit { chunk_id, covered })
        .collect()
}

fn vectors(ids: &[i64]) -> Vec<Hit> {
    ids.iter()
        .map(|&chunk_id| Hit {
            chunk_id,
            cosine: 0.75,
        })
        .collect()
}

#[test]
fn what_both_lists_have_goes_before_what_one_has() {
    let fused = fuse(&text(&[1, 2, 3]), &vectors(&[4, 3]));
    let order: Vec<i64> = fused.iter().map(|candidate| candidate.chunk_id).collect();
    assert_eq!(order, [3, 1, 4, 2]);
    let best = &fused[0];
    assert_eq!((best.text_rank, best.vector_rank), (Some(3), Some(2)));
    assert!((best.fused - (1.0 / 63.0 + 1.0 / 62.0)).abs() < 1e-12);
    assert!((fused[1].fused - 1.0 / 61.0).abs() < 1e-12);
}

#[test]
fn the_score_is_the_cosine_where_there_is_one() {
    let fused = fuse(&covering(0.5, &[1, 2]), &vectors(&[2]));
    let scores: Vec<f64> = fused.iter().map(Candidate::score).collect();
    assert_eq!(scores, [0.75, 0.5]);
}

#[test]
fn a_chance_word_of_the_question_does_not_outweigh_the_nearest_vector() {
    let fused = fuse(&covering(0.2, &[1]), &vectors(&[2, 3]));
    let order: Vec<i64> = fused.iter().map(|candidate| candidate.chunk_id).collect();
    assert_eq!(order, [2, 3, 1]);
    let alone = fuse(&covering(0.2, &[1]), &[]);
    assert!((alone[0].fused - 1.0 / 61.0).abs() < 1e-12);
}

#[test]
fn equals_have_one_order() {
    let fused = fuse(&text(&[9]), &vectors(&[4]));
    assert_eq!((fused[0].chunk_id, fused[1].chunk_id), (9, 4));
    assert_eq!(fuse(&[], &[]), []);
}
