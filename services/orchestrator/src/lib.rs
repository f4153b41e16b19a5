//! The orchestrator service.
