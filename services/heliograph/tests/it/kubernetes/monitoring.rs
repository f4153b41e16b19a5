//! `prometheus.kubernetes.yaml` finds the pods of the manifests, and may look for them.

use std::process::Command;

use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use serde_json::Value;

use super::{SERVICES, folder, installation, ports_of, rendered, typed};
use crate::node_packages;

#[test]
fn prometheus_finds_the_pods_of_the_services() {
    let file = folder().join("../observability/prometheus.kubernetes.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    let prometheus: Value = serde_saphyr::from_str(&text).unwrap();
    let job = &prometheus["scrape_configs"][0];
    let discovery = &job["kubernetes_sd_configs"][0];
    assert_eq!(discovery["namespaces"]["names"][0], "heliograph");
    let rules = job["relabel_configs"].as_array().unwrap();
    let rule = |label: &str| {
        let label = format!("__meta_kubernetes_pod_{label}");
        let found = rules.iter().find(|it| it["source_labels"][0] == label);
        found.unwrap_or_else(|| panic!("{label}"))
    };
    let Some(objects) = installation("base") else {
        return;
    };
    for service in SERVICES {
        let template = &objects.deployments[service].spec.template;
        let metadata = template.metadata.as_ref().unwrap();
        let annotations = metadata.annotations.as_ref().unwrap();
        let scraped = rule("annotation_prometheus_io_scrape");
        assert_eq!(annotations["prometheus.io/scrape"], scraped["regex"]);
        let port = rule("container_port_name")["regex"].as_str().unwrap();
        assert!(ports_of(template.spec.as_ref().unwrap()).contains_key(port));
        // The alerts and dashboards select by this name.
        let labels = metadata.labels.as_ref().unwrap();
        assert_eq!(labels["app.kubernetes.io/component"], service);
        let named = rule("label_app_kubernetes_io_component");
        assert_eq!(
            (&named["target_label"], &named["replacement"]),
            (&"job".into(), &"heliograph-$1".into())
        );
    }
    // Debian's program is built without Kubernetes: it reads the rest.
    let mut rest = prometheus.clone();
    let job = rest["scrape_configs"][0].as_object_mut().unwrap();
    job.remove("kubernetes_sd_configs");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rest.yaml");
    std::fs::write(&file, rest.to_string()).unwrap();
    let checked = Command::new("promtool")
        .args(["check", "config", "--syntax-only", file.to_str().unwrap()])
        .output();
    match checked {
        Ok(output) => assert!(output.status.success(), "{}", node_packages::text(&output)),
        Err(error) => node_packages::skipped("promtool read no configuration", &error.to_string()),
    }
}

#[test]
fn prometheus_may_list_pods_and_nothing_else() {
    let Some(objects) = rendered("prometheus") else {
        return;
    };
    let of = |kind: &str| objects.iter().find(|it| it["kind"] == kind).unwrap();
    let role: Role = typed(of("Role"));
    let rules = role.rules.unwrap();
    assert_eq!(rules.len(), 1);
    assert_eq!(rules[0].resources, Some(vec!["pods".to_owned()]));
    assert_eq!(rules[0].verbs, ["get", "list", "watch"]);
    let binding: RoleBinding = typed(of("RoleBinding"));
    assert_eq!(binding.role_ref.name, "prometheus");
    let subject = &binding.subjects.unwrap()[0];
    // The namespace that reaches the metrics.
    assert_eq!(subject.namespace.as_deref(), Some("monitoring"));
}
