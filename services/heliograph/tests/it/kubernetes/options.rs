//! Options of the manifests: commented lines of the production overlay, keys of models, the
//! Prometheus operator; and the sizes, which follow from the settings.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::{
    Objects, SERVICES, allowed, check, folder, installation, ports_of, rendered, rendered_in,
    variables_of,
};

fn read(path: &str) -> String {
    std::fs::read_to_string(folder().join(path)).unwrap()
}

/// The production overlay with each of its commented lines, as an operator copies and changes it.
fn with_all_options() -> Option<Objects> {
    let copy = tempfile::tempdir().unwrap();
    let manifests = copy.path().join("k8s");
    let copied = Command::new("cp")
        .args([Path::new("-r"), &folder(), &manifests])
        .status();
    assert!(copied.unwrap().success());
    let file = manifests.join("overlays/production/kustomization.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text.matches("\n  # - ").count(), 4);
    std::fs::write(file, text.replace("\n  # - ", "\n  - ")).unwrap();
    let mut objects = rendered_in(&manifests, "overlays/production")?;
    objects.extend(rendered("first-administrator")?);
    Some(Objects::read(&objects))
}

#[test]
fn options_of_the_production_overlay_are_read_strictly_and_reach_what_they_name() {
    let Some(objects) = with_all_options() else {
        return;
    };
    check("overlays/production with all options", &objects);
    let policy = |name: &str| {
        let mut policies = objects.policies.iter();
        let policy = policies.find(|it| it.metadata.name.as_deref() == Some(name));
        serde_json::to_value(&policy.unwrap().spec).unwrap()
    };
    let collector = policy("collector");
    let namespace = &collector["egress"][0]["to"][0]["namespaceSelector"]["matchLabels"];
    let namespace = namespace["kubernetes.io/metadata.name"].as_str().unwrap();
    let port = &collector["egress"][0]["ports"][0]["port"];
    let selected = &collector["podSelector"]["matchExpressions"][0]["values"];
    for service in SERVICES {
        let pod = objects.deployments[service].spec.template.spec.as_ref();
        let variables = variables_of(pod.unwrap());
        let address = &variables["OTEL_EXPORTER_OTLP_ENDPOINT"];
        assert_eq!(*address, format!("http://collector.{namespace}:{port}"));
        assert!(selected.as_array().unwrap().contains(&service.into()));
    }
    // Only the orchestrator reaches models.
    let models = policy("orchestrator-private");
    let component = &models["podSelector"]["matchLabels"]["app.kubernetes.io/component"];
    assert_eq!(component, "orchestrator");
    let base = installation("overlays/production").unwrap();
    assert_eq!(
        allowed(&objects),
        allowed(&base),
        "no other pod reaches more"
    );
}

/// Without an adapter the autoscalers have CPU only; with it, the rule serves what they read, by
/// labels that Prometheus has.
#[test]
fn runs_are_a_metric_of_the_autoscaler_only_with_an_adapter() {
    let (Some(plain), Some(objects)) = (installation("overlays/production"), with_all_options())
    else {
        return;
    };
    let runs = |objects: &Objects| -> Vec<String> {
        let scalers = objects.scalers.iter();
        let metrics = scalers.flat_map(|it| it.spec.metrics.iter().flatten());
        metrics
            .filter_map(|metric| Some(metric.pods.as_ref()?.metric.name.clone()))
            .collect()
    };
    assert!(runs(&plain).is_empty(), "{:?}", runs(&plain));
    assert_eq!(runs(&objects), ["heliograph_runs_active"]);
    for scaler in &objects.scalers {
        let metrics = scaler.spec.metrics.iter().flatten();
        let cpu = metrics.filter(|metric| metric.resource.is_some());
        assert_eq!(cpu.count(), 1, "{:?}", scaler.metadata.name);
    }
    let adapter = read("../observability/prometheus-adapter.yaml");
    let adapter: Value = serde_saphyr::from_str(&adapter).unwrap();
    let rule = &adapter["rules"][0];
    let series = rule["seriesQuery"].as_str().unwrap();
    assert!(series.starts_with("heliograph_runs_active{"), "{series}");
    let prometheus = read("../observability/prometheus.kubernetes.yaml");
    for label in rule["resources"]["overrides"].as_object().unwrap().keys() {
        assert!(prometheus.contains(&format!("target_label: {label}}}")));
        assert!(series.contains(&format!("{label}!=")), "{series}");
    }
}

/// Keys of models come from a secret that need not exist, and reach the orchestrator only.
#[test]
fn the_orchestrator_alone_gets_the_keys_of_models() {
    let Some(objects) = installation("base") else {
        return;
    };
    for (name, _, pod) in objects.pods() {
        let from = pod.containers[0].env_from.iter().flatten();
        let from: Vec<_> = from
            .map(|it| it.secret_ref.clone().unwrap())
            .map(|it| (it.name, it.optional))
            .collect();
        let expected = [("heliograph-models".to_owned(), Some(true))];
        let expected: &[_] = if name == "orchestrator" {
            &expected
        } else {
            &[]
        };
        assert_eq!(from, expected, "{name}");
    }
    let text = read("../../docs/operating.md");
    assert!(text.contains("create secret generic heliograph-models --from-env-file="));
}

/// The memory of the tools service is enough for what its settings let it use.
#[test]
fn the_memory_of_tools_covers_its_readers_and_vectors() {
    let Some(objects) = installation("base") else {
        return;
    };
    let settings = read("../config/tools.toml");
    let setting = |name: &str| -> u64 {
        let line = settings.lines().find(|line| line.starts_with(name));
        line.unwrap().rsplit(' ').next().unwrap().parse().unwrap()
    };
    let needed =
        setting("readers =") * setting("reader_memory_bytes") + setting("vector_cache_bytes");
    let pod = objects.deployments["tools"].spec.template.spec.as_ref();
    let resources = pod.unwrap().containers[0].resources.clone().unwrap();
    let limit = &resources.limits.unwrap()["memory"].0;
    let limit: u64 = limit.strip_suffix("Gi").unwrap().parse().unwrap();
    // The process itself, with its embedding model.
    assert!(limit << 30 >= needed + (512 << 20), "{limit} Gi, {needed}");
}

/// The connections that the document and the autoscalers name follow from the manifests.
#[test]
fn the_connections_of_all_replicas_are_documented() {
    let Some(objects) = installation("overlays/production") else {
        return;
    };
    let most: i32 = objects.scalers.iter().map(|it| it.spec.max_replicas).sum();
    for service in SERVICES {
        let settings = read(&format!("../config/{service}.toml"));
        assert!(settings.contains("\nmax_connections = 10\n"), "{service}");
    }
    let needs = format!("need {}", most * 10);
    for file in [
        "overlays/production/autoscaling.yaml",
        "../../docs/operating.md",
    ] {
        assert!(read(file).contains(&needs), "{file}: {needs}");
    }
}

#[test]
fn the_prometheus_operator_finds_the_pods_of_the_services() {
    let Some(objects) = rendered("prometheus-operator") else {
        return;
    };
    let Some(base) = installation("base") else {
        return;
    };
    let [monitor] = &objects[..] else {
        panic!("{objects:?}")
    };
    assert_eq!(monitor["metadata"]["namespace"], "heliograph");
    let selected = &monitor["spec"]["selector"]["matchExpressions"][0];
    let endpoint = &monitor["spec"]["podMetricsEndpoints"][0];
    for service in SERVICES {
        let template = &base.deployments[service].spec.template;
        let labels = template.metadata.as_ref().unwrap().labels.as_ref();
        let key = selected["key"].as_str().unwrap();
        let label = labels.unwrap()[key].clone();
        assert!(
            selected["values"]
                .as_array()
                .unwrap()
                .contains(&label.into())
        );
        let ports = ports_of(template.spec.as_ref().unwrap());
        assert!(ports.contains_key(endpoint["port"].as_str().unwrap()));
    }
    // The alerts and dashboards select by this name.
    let job = &endpoint["relabelings"][0];
    assert_eq!(
        (&job["targetLabel"], &job["replacement"]),
        (&"job".into(), &"heliograph-$1".into())
    );
}
