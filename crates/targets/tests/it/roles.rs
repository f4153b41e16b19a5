//! What is found out about a target before it is asked: its role, its tables, its policy.

use targets::{State, Target, TargetConfig, TargetError};

use crate::fixture::{Fixture, both};

/// What becomes of a target, and how it says that it stands.
async fn looked_at(config: TargetConfig) -> (Option<TargetError>, State, Option<String>) {
    let target = Target::new(config).unwrap();
    let error = target.catalogue().await.err();
    let standing = target.standing().unwrap();
    (error, standing.state, standing.problem)
}

fn role(fixture: &Fixture) -> String {
    let (_, rest) = fixture.reader_url.split_once("://").unwrap();
    rest.split_once(':').unwrap().0.to_owned()
}

#[tokio::test]
async fn a_role_that_only_reads_is_used() {
    for fixture in both().await {
        let (error, state, problem) = looked_at(fixture.config()).await;
        assert_eq!(
            (error, state, problem),
            (None, State::Ready, None),
            "{}",
            fixture.dialect
        );
    }
}

#[tokio::test]
async fn a_superuser_is_refused_unless_said_otherwise() {
    for fixture in both().await {
        let config = TargetConfig::new("field", fixture.admin.url());
        let (error, state, problem) = looked_at(config.clone()).await;
        assert!(
            matches!(error, Some(TargetError::Role { .. })),
            "{}: {error:?}",
            fixture.dialect
        );
        assert_eq!(state, State::RoleRefused);
        assert_eq!(
            problem.unwrap(),
            "The database 'field' is not asked: the role that it is read with may do more than read."
        );
        let allowed = TargetConfig {
            allow_writing_role: true,
            ..config
        };
        assert_eq!(looked_at(allowed).await.1, State::Ready);
    }
}

#[tokio::test]
async fn a_role_that_may_write_to_one_column_or_delete_is_refused() {
    for fixture in both().await {
        let role = role(&fixture);
        let grants = if fixture.dialect == "mariadb" {
            [
                format!("GRANT UPDATE (name) ON crew TO '{role}'@'%'"),
                format!("REVOKE UPDATE (name) ON crew FROM '{role}'@'%'"),
                format!("GRANT DELETE ON crew TO '{role}'@'%'"),
            ]
        } else {
            [
                format!("GRANT UPDATE (name) ON crew TO {role}"),
                format!("REVOKE UPDATE (name) ON crew FROM {role}"),
                format!("GRANT DELETE ON crew TO {role}"),
            ]
        };
        for (grant, expected) in
            grants
                .iter()
                .zip([State::RoleRefused, State::Ready, State::RoleRefused])
        {
            fixture.admin.run(grant).await;
            let (_, state, _) = looked_at(fixture.config()).await;
            assert_eq!(state, expected, "{}: {grant}", fixture.dialect);
        }
    }
}

#[tokio::test]
async fn a_wrong_password_is_told() {
    for fixture in both().await {
        let config = TargetConfig {
            url: Some(fixture.reader_url.replace("secret", "wrong").into()),
            ..fixture.config()
        };
        let (_, state, problem) = looked_at(config).await;
        assert_eq!(state, State::LoginRefused);
        assert_eq!(problem.unwrap(), "The database 'field' refuses our login.");
    }
}

#[tokio::test]
async fn a_policy_that_hides_everything_and_a_database_without_tables_say_so() {
    for fixture in both().await {
        let folder = tempfile::tempdir().unwrap();
        let policy = folder.path().join("policy.toml");
        std::fs::write(&policy, "shared_tables = [\"nothing\"]\n").unwrap();
        let config = TargetConfig {
            policy_file: Some(policy),
            ..fixture.config()
        };
        let (error, state, problem) = looked_at(config).await;
        assert_eq!((error, state), (None, State::Hidden), "{}", fixture.dialect);
        let problem = problem.unwrap();
        assert!(problem.contains("policy"), "{problem}");

        let drop = if fixture.dialect == "mariadb" {
            "SET FOREIGN_KEY_CHECKS = 0; DROP TABLE employee, crew, employee_crew, question, migration; DROP VIEW secure_employee"
        } else {
            "DROP TABLE employee, crew, employee_crew, question, migration CASCADE"
        };
        fixture.admin.run(drop).await;
        let config = TargetConfig {
            policy_file: None,
            ..fixture.config()
        };
        let (error, state, problem) = looked_at(config).await;
        assert_eq!((error, state), (None, State::Empty), "{}", fixture.dialect);
        assert_eq!(
            problem.unwrap(),
            "The database 'field' has no tables that its role may read."
        );
    }
}
