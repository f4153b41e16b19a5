//! Embeddings.

use super::*;

/// The vectors of these texts.
async fn embed(server: &ModelServer, texts: &[&str], dimensions: Option<u32>) -> Vec<Vec<f64>> {
    let (path, mut body) = match server.dialect() {
        Dialect::Gemini => {
            let requests: Vec<_> = texts
                .iter()
                .map(|text| {
                    let mut request =
                        json!({"model": "models/e", "content": {"parts": [{"text": text}]}});
                    if let Some(dimensions) = dimensions {
                        request["outputDimensionality"] = dimensions.into();
                    }
                    request
                })
                .collect();
            (
                "/models/e:batchEmbedContents",
                json!({ "requests": requests }),
            )
        }
        Dialect::Ollama => ("/api/embed", json!({"model": "e", "input": texts})),
        _ => ("/embeddings", json!({"model": "e", "input": texts})),
    };
    if let (Some(dimensions), false) = (dimensions, server.dialect() == Dialect::Gemini) {
        body["dimensions"] = dimensions.into();
    }
    let answer: Value = post(server, path, &body)
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    let vectors = match server.dialect() {
        Dialect::Gemini | Dialect::Ollama => &answer["embeddings"],
        _ => &answer["data"],
    };
    let vectors = vectors.as_array().unwrap_or_else(|| panic!("{answer}"));
    vectors
        .iter()
        .map(|vector| {
            let values = [&vector["values"], &vector["embedding"], vector];
            let values = values.into_iter().find_map(Value::as_array).unwrap();
            values.iter().map(|value| value.as_f64().unwrap()).collect()
        })
        .collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[tokio::test]
async fn texts_with_words_in_common_are_near_each_other() {
    for (dialect, usual) in [
        (Dialect::OpenAi, 1536),
        (Dialect::OpenRouter, 1536),
        (Dialect::Gemini, 3072),
        (Dialect::Ollama, 768),
    ] {
        let server = server(dialect, Script::new()).await;
        let texts = [
            "the inverter is hot",
            "Is the inverter hot?",
            "rain tomorrow",
        ];
        let vectors = embed(&server, &texts, None).await;
        assert_eq!(vectors[0].len(), usual, "{dialect:?}");
        assert!(
            (dot(&vectors[0], &vectors[1]) - 1.0).abs() < 1e-3,
            "{dialect:?}"
        );
        assert!(dot(&vectors[0], &vectors[2]) < 0.5, "{dialect:?}");
        assert_eq!(embed(&server, &texts, None).await, vectors);
        assert_eq!(embed(&server, &texts, Some(8)).await[2].len(), 8);
        server.assert_accepted();
    }
}

#[tokio::test]
async fn short_vectors_of_gemini_are_not_of_length_one() {
    let server = server(Dialect::Gemini, Script::new()).await;
    let short = embed(&server, &["hot"], Some(256)).await;
    assert!((dot(&short[0], &short[0]) - 0.5625).abs() < 1e-3);
}

#[tokio::test]
async fn a_rule_may_fail_them() {
    let script = Script::new()
        .when(
            |seen| seen.operation == Operation::Embed,
            Turn::overloaded(),
        )
        .otherwise(Turn::text("chat"));
    let server = server(Dialect::Ollama, script).await;
    let body = json!({"model": "e", "input": "a"});
    let response = post(&server, "/api/embed", &body).send().await.unwrap();
    assert_eq!(response.status(), 503);
}

#[tokio::test]
async fn what_providers_refuse_to_embed() {
    let many: Vec<_> = (0..2049).map(|n| n.to_string()).collect();
    for (dialect, path, body) in [
        (
            Dialect::OpenAi,
            "/embeddings",
            json!({"model": "e", "input": ""}),
        ),
        (
            Dialect::OpenAi,
            "/embeddings",
            json!({"model": "e", "input": many}),
        ),
        (
            Dialect::Gemini,
            "/models/e:batchEmbedContents",
            json!({"requests": []}),
        ),
        (
            Dialect::Gemini,
            "/models/e:batchEmbedContents",
            json!({"requests": [{"model": "e", "content": {"parts": [{"text": "a"}]}}]}),
        ),
        (Dialect::Ollama, "/api/embed", json!({"model": "e"})),
    ] {
        let server = server(dialect, Script::new()).await;
        let response = post(&server, path, &body).send().await.unwrap();
        assert_eq!(response.status(), 400, "{dialect:?} {path}");
    }
}
