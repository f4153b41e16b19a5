//! Operations of the tools service that the bff passes on as they are, so that each is described
//! once.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use utoipa::openapi::path::{HttpMethod, Operation};
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{OpenApi, RefOr, Response};
use utoipa::{IntoResponses, Modify};

use super::common::ProxyRefusals;
use super::{imports, sites};

/// An operation of the tools service, at the bff.
#[derive(Debug)]
pub struct PassedOn<O>(PhantomData<O>);

impl<O: utoipa::Path> utoipa::Path for PassedOn<O> {
    fn methods() -> Vec<HttpMethod> {
        O::methods()
    }

    fn path() -> String {
        O::path()
    }

    fn operation() -> Operation {
        let mut operation = O::operation();
        let session = SecurityRequirement::new("session", [""; 0]);
        operation.security.get_or_insert_default().push(session);
        let responses = &mut operation.responses.responses;
        reword(responses, "401", |_| "Not signed in".to_owned());
        if O::methods() != [HttpMethod::Get] {
            reword(responses, "403", |words| {
                format!("{words}, or the request comes from another origin")
            });
        }
        responses.extend(ProxyRefusals::responses());
        operation
    }
}

fn reword(
    responses: &mut BTreeMap<String, RefOr<Response>>,
    status: &str,
    words: impl FnOnce(&str) -> String,
) {
    if let Some(RefOr::T(response)) = responses.get_mut(status) {
        response.description = words(&response.description);
    }
}

/// The operations with their names, by module, which is also their tag; adds them to a document.
macro_rules! passed_on {
    ($($module:ident $($operation:ident)*,)*) => {
        pub(super) struct AllPassedOn;

        impl Modify for AllPassedOn {
            fn modify(&self, document: &mut OpenApi) {
                $($(add::<operations::$operation>(document, stringify!($module));)*)*
            }
        }

        pub mod operations {
            //! A name for each operation.
            use super::PassedOn;
            $($(
                #[doc = "The operation of this name."]
                pub type $operation = PassedOn<super::$module::operations::$operation>;
            )*)*
        }
    };
}

passed_on! {
    imports CreateImport ListImports GetImport ReviseImport RunImport CancelImport DeleteImport,
    sites ListSites PutSites DeleteSite ListSiteLoggers DeleteLogger,
}

fn add<O: utoipa::Path>(document: &mut OpenApi, tag: &str) {
    let mut operation = O::operation();
    operation.tags = Some(vec![tag.to_owned()]);
    let paths = &mut document.paths;
    paths.add_path_operation(O::path(), O::methods(), operation);
}
