//! The operations of the orchestrator.

mod assistants;
mod chat;
mod kept;
mod runs;
mod schedules;
mod threads;

use std::sync::Arc;

use axum::Router;
use contracts::openapi::orchestrator::operations;
use service_kit::database::DatabaseHealth;
use service_kit::health::{Checks, WritableFolder};
use service_kit::identity::Verifier;
use service_kit::web::OperationExt;

use crate::state::State;
use crate::{checkpoints, database};

/// Every route of the service save health and documents.
pub(crate) fn operations(state: State) -> Router {
    Router::new()
        .operation::<operations::ListAssistants, _, _>(assistants::list_assistants)
        .operation::<operations::CreateChat, _, _>(chat::create_chat)
        .operation::<operations::ResumeChat, _, _>(chat::resume_chat)
        .operation::<operations::StopChat, _, _>(chat::stop_chat)
        .operation::<operations::CreateAgentChat, _, _>(chat::create_agent_chat)
        .operation::<operations::PostMessage, _, _>(chat::post_message)
        .operation::<operations::CreateThread, _, _>(threads::create_thread)
        .operation::<operations::ListThreads, _, _>(threads::list_threads)
        .operation::<operations::GetThread, _, _>(threads::get_thread)
        .operation::<operations::UpdateThread, _, _>(threads::update_thread)
        .operation::<operations::CopyThread, _, _>(threads::copy_thread)
        .operation::<operations::DeleteThread, _, _>(threads::delete_thread)
        .operation::<operations::ListMessages, _, _>(threads::list_messages)
        .operation::<operations::ListUiMessages, _, _>(threads::list_ui_messages)
        .operation::<operations::GetThreadState, _, _>(threads::get_thread_state)
        .operation::<operations::SearchMessages, _, _>(kept::search_messages)
        .operation::<operations::ExportThread, _, _>(kept::export_thread)
        .operation::<operations::GetRetention, _, _>(kept::get_retention)
        .operation::<operations::SetRetention, _, _>(kept::set_retention)
        .operation::<operations::GetQuotas, _, _>(kept::get_quotas)
        .operation::<operations::ErasePerson, _, _>(kept::erase_person)
        .operation::<operations::ExportPerson, _, _>(kept::export_person)
        .operation::<operations::ListSchedules, _, _>(schedules::list_schedules)
        .operation::<operations::CreateSchedule, _, _>(schedules::create_schedule)
        .operation::<operations::GetSchedule, _, _>(schedules::get_schedule)
        .operation::<operations::UpdateSchedule, _, _>(schedules::update_schedule)
        .operation::<operations::DeleteSchedule, _, _>(schedules::delete_schedule)
        .operation::<operations::TestSchedule, _, _>(schedules::test_schedule)
        .operation::<operations::ListScheduleMessages, _, _>(schedules::list_schedule_messages)
        .operation::<operations::GetScheduleSecret, _, _>(schedules::get_schedule_secret)
        .operation::<operations::UseStopLink, _, _>(schedules::use_stop_link)
        .operation::<operations::GetRun, _, _>(runs::get_run)
        .operation::<operations::CancelRun, _, _>(runs::cancel_run)
        .operation::<operations::FollowRun, _, _>(runs::follow_run)
        .with_state(state)
}

/// Checks of the service's dependencies: its database, the store of its checkpoints, the keys that
/// identities are signed with. The tools service is not among them: a run that needs it reports
/// when it is unavailable.
pub(crate) fn checks(state: &State, verifier: Arc<Verifier>) -> Checks {
    let health = DatabaseHealth::new(state.store.pool().clone(), "orchestrator");
    let checks = Checks::new("orchestrator")
        .check("database", move || {
            let health = health.clone();
            async move {
                health
                    .check(async |pool| database::is_migrated(&pool).await)
                    .await
                    .map(|()| None)
            }
        })
        .check("identity keys", move || {
            let verifier = Arc::clone(&verifier);
            async move { Ok(verifier.ready().await.map(|()| None)?) }
        });
    let Some(folder) = checkpoints::folder(&state.config.checkpoints) else {
        return checks;
    };
    let disk = WritableFolder::new(folder);
    checks.check("checkpoints", move || {
        let disk = disk.clone();
        async move { Ok(disk.check().await.map(|()| None)?) }
    })
}
