//! The checks of a target before its first query: its role, its tables, its policy.

use targets::{State, Target, TargetConfig, TargetError};

use crate::fixture::{Fixture, ask, both};

/// The error of a target, and the status that it reports.
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

#[tokio::test]
async fn a_role_that_may_write_after_the_start_is_asked_no_more_until_it_only_reads() {
    for fixture in both().await {
        let role = role(&fixture);
        let (grant, revoke) = if fixture.dialect == "mariadb" {
            (
                format!("GRANT INSERT ON crew TO '{role}'@'%'"),
                format!("REVOKE INSERT ON crew FROM '{role}'@'%'"),
            )
        } else {
            (
                format!("GRANT INSERT ON crew TO {role}"),
                format!("REVOKE INSERT ON crew FROM {role}"),
            )
        };
        let target = Target::new(TargetConfig {
            role_seconds: 0,
            ..fixture.config()
        })
        .unwrap();
        ask(&target, "SELECT name FROM crew").await.unwrap();
        let checked = target.check("SELECT name FROM crew", "demo", 10).await;
        let checked = checked.unwrap().unwrap();
        fixture.admin.run(&grant).await;
        let refused = |error: TargetError| {
            assert!(matches!(error, TargetError::Role { .. }), "{error:?}");
        };
        refused(
            target
                .check("SELECT name FROM crew", "demo", 10)
                .await
                .unwrap_err(),
        );
        refused(target.run(&checked, &target.limits()).await.unwrap_err());
        refused(target.refresh().await.unwrap_err());
        let standing = target.standing().unwrap();
        assert_eq!(standing.state, State::RoleRefused, "{}", fixture.dialect);
        assert!(standing.problem.is_some());
        fixture.admin.run(&revoke).await;
        ask(&target, "SELECT name FROM crew").await.unwrap();
        assert_eq!(target.standing().unwrap().state, State::Ready);

        // What was found holds for a while.
        let target = Target::new(TargetConfig {
            role_seconds: 3600,
            ..fixture.config()
        })
        .unwrap();
        target.catalogue().await.unwrap();
        fixture.admin.run(&grant).await;
        target.catalogue().await.unwrap();
        // Reading the catalogue looks at the role as well, and no old catalogue is used then.
        assert!(target.refresh().await.is_err());
        refused(target.catalogue().await.unwrap_err());
        fixture.admin.run(&revoke).await;
        target.look_over().await.unwrap();
        target.catalogue().await.unwrap();
        // An operator may allow it.
        let allowed = Target::new(TargetConfig {
            role_seconds: 0,
            allow_writing_role: true,
            ..fixture.config()
        })
        .unwrap();
        allowed.catalogue().await.unwrap();
        fixture.admin.run(&grant).await;
        allowed.catalogue().await.unwrap();
    }
}
