//! Issuers at which people sign in, which administrators of the installation add: `/api/issuers`.

use axum::extract::State as Shared;
use axum::response::{IntoResponse, Response};
use contracts::issuers::{ChangeIssuer, IssuerInfo, IssuerList, IssuerRule, IssuerTest, NewIssuer};
use http::{HeaderMap, StatusCode, Uri};
use service_kit::problem::ApiError;
use service_kit::web::{Json, Path};

use crate::access::Grant;
use crate::credential::{Caller, page_address};
use crate::error;
use crate::oidc::{Examined, Provider, Settings, StoreError, Stored};
use crate::state::State;

/// Maximum number of issuers that are added.
const MOST_ISSUERS: usize = 50;

/// `GET /api/issuers`.
pub(super) async fn list_issuers(
    Shared(state): Shared<State>,
    _: Caller,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Json<IssuerList>, ApiError> {
    let stored = state.providers.issuers().all().await;
    let fixed = state.providers.fixed().map(|fixed| fixed_info(fixed));
    let added = stored.map_err(error::database)?;
    let added = added.iter().map(|stored| info(&state, stored));
    Ok(Json(IssuerList {
        issuers: fixed.chain(added).collect(),
        public_url: public_url(&state, &uri, &headers).unwrap_or_default(),
    }))
}

/// `POST /api/issuers`.
pub(super) async fn create_issuer(
    Shared(state): Shared<State>,
    caller: Caller,
    uri: Uri,
    headers: HeaderMap,
    Json(new): Json<NewIssuer>,
) -> Result<Response, ApiError> {
    let name = new.name.clone();
    caller
        .note
        .object(name.chars().take(64).collect::<String>());
    let settings = with_page(&state, &uri, &headers, Settings::of(new)?)?;
    may_give(&caller, &settings)?;
    is_free(&state, &settings).await?;
    tenants_are_new(&state, &settings).await?;
    let provider = provider(&state, &settings);
    passed(&provider.examine().await)?;
    let issuers = state.providers.issuers();
    if !issuers.add(&settings).await.map_err(not_stored)? {
        return Err(exists(&settings));
    }
    let stored = find(&state, &name).await?;
    Ok((StatusCode::CREATED, Json(info(&state, &stored))).into_response())
}

/// `POST /api/issuer-tests`.
pub(super) async fn test_new_issuer(
    Shared(state): Shared<State>,
    caller: Caller,
    uri: Uri,
    headers: HeaderMap,
    Json(new): Json<NewIssuer>,
) -> Result<Json<IssuerTest>, ApiError> {
    caller
        .note
        .object(new.name.chars().take(64).collect::<String>());
    let settings = with_page(&state, &uri, &headers, Settings::of(new)?)?;
    let provider = provider(&state, &settings);
    Ok(tested(&caller, provider.examine().await.outcome(&provider)))
}

/// `GET /api/issuers/{issuer}`.
pub(super) async fn get_issuer(
    Shared(state): Shared<State>,
    _: Caller,
    Path(name): Path<String>,
) -> Result<Json<IssuerInfo>, ApiError> {
    if let Some(fixed) = fixed(&state, &name) {
        return Ok(Json(fixed_info(fixed)));
    }
    let stored = find(&state, &name).await?;
    Ok(Json(info(&state, &stored)))
}

/// `PATCH /api/issuers/{issuer}`.
pub(super) async fn change_issuer(
    Shared(state): Shared<State>,
    caller: Caller,
    Path(name): Path<String>,
    uri: Uri,
    headers: HeaderMap,
    Json(change): Json<ChangeIssuer>,
) -> Result<Json<IssuerInfo>, ApiError> {
    not_fixed(&state, &name)?;
    let (stored, issuers) = (find(&state, &name).await?, state.providers.issuers());
    may_give(&caller, &stored.settings)?;
    // Rules can be taken back while the issuer is away.
    let is_tested = change.client_id.is_some() || change.client_secret.is_some();
    let mut settings = stored.settings.clone();
    if change.client_secret.is_none() {
        settings.issuer = issuers.opened(&stored).map_err(ApiError::conflict)?;
    }
    let settings = with_page(&state, &uri, &headers, settings.changed(change)?)?;
    may_give(&caller, &settings)?;
    tenants_are_new(&state, &settings).await?;
    if is_tested {
        passed(&provider(&state, &settings).examine().await)?;
    }
    let changed = issuers.change(&stored, &settings).await;
    if !changed.map_err(not_stored)? {
        return Err(ApiError::conflict(
            "The issuer was changed at the same time. Read it again, and repeat the change.",
        ));
    }
    let stored = find(&state, &name).await?;
    Ok(Json(info(&state, &stored)))
}

/// `DELETE /api/issuers/{issuer}`.
pub(super) async fn delete_issuer(
    Shared(state): Shared<State>,
    _: Caller,
    Path(name): Path<String>,
) -> Result<StatusCode, ApiError> {
    // One that an issuer of the configuration replaces can be removed, too.
    let mut fixed = state.providers.fixed();
    let is_used = |issuer: &str| fixed.any(|fixed| fixed.config().issuer == issuer);
    let removed = state.providers.issuers().remove(&name, is_used).await;
    if !removed.map_err(error::database)? {
        not_fixed(&state, &name)?;
        return Err(unknown());
    }
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /api/issuers/{issuer}/test`.
pub(super) async fn test_issuer(
    Shared(state): Shared<State>,
    caller: Caller,
    Path(name): Path<String>,
) -> Result<Json<IssuerTest>, ApiError> {
    if let Some(fixed) = fixed(&state, &name) {
        return Ok(tested(&caller, fixed.examine().await.outcome(fixed)));
    }
    let stored = find(&state, &name).await?;
    let provider = state.providers.provider(&stored);
    let provider = provider.map_err(ApiError::conflict)?;
    Ok(tested(&caller, provider.examine().await.outcome(&provider)))
}

/// The result of a test. In the audit log one that failed is refused, as adding the issuer is.
fn tested(caller: &Caller, test: IssuerTest) -> Json<IssuerTest> {
    if !test.ok {
        caller.note.status(StatusCode::UNPROCESSABLE_ENTITY);
    }
    Json(test)
}

/// The address of the page for issuers that name none.
fn public_url(state: &State, uri: &Uri, headers: &HeaderMap) -> Option<String> {
    let configured = state.providers.public_url().map(str::to_owned);
    configured.or_else(|| page_address(uri, headers))
}

/// The settings with an address of the page, which the configuration or this request has.
fn with_page(
    state: &State,
    uri: &Uri,
    headers: &HeaderMap,
    mut settings: Settings,
) -> Result<Settings, ApiError> {
    if settings.public_url.is_none() && state.providers.public_url().is_none() {
        let address = page_address(uri, headers);
        let needed = || ApiError::invalid_field("/public_url", "must be the address of the page");
        settings.public_url = Some(address.ok_or_else(needed)?);
    }
    if settings.issuer.issuer == state.own_issuer {
        return Err(ApiError::invalid_field(
            "/issuer",
            "is the issuer of this service's own tokens (`signing.issuer`)",
        ));
    }
    Ok(settings)
}

fn provider(state: &State, settings: &Settings) -> Provider {
    let Settings { issuer, public_url } = settings.clone();
    state.providers.added(issuer, public_url.as_deref())
}

/// Refuses, with 403, rules that give what the caller does not have.
fn may_give(caller: &Caller, settings: &Settings) -> Result<(), ApiError> {
    let rules = settings.issuer.rules.iter();
    let mut grants = rules.map(|rule| Grant::Role(rule.role));
    grants.try_for_each(|grant| grant.by(&caller.account))
}

/// Fails where there can be no further issuer like this.
async fn is_free(state: &State, settings: &Settings) -> Result<(), ApiError> {
    if state.providers.is_replaced(&settings.issuer) {
        return Err(in_configuration(&settings.issuer.name));
    }
    let stored = state.providers.issuers().all().await;
    let stored = stored.map_err(error::database)?;
    let is_same = |one: &Stored| {
        one.name == settings.issuer.name || one.settings.issuer.issuer == settings.issuer.issuer
    };
    if stored.iter().any(is_same) {
        return Err(exists(settings));
    }
    if stored.len() >= MOST_ISSUERS {
        return Err(ApiError::conflict(format!(
            "There are {MOST_ISSUERS} issuers, which is as many as there may be. Remove one first."
        )));
    }
    Ok(())
}

/// Fails for rules that lead to a tenant that is seen as another one.
async fn tenants_are_new(state: &State, settings: &Settings) -> Result<(), ApiError> {
    for rule in &settings.issuer.rules {
        let checked = state.accounts.check_tenant(&rule.tenant).await;
        checked.map_err(error::account)?;
    }
    Ok(())
}

fn exists(settings: &Settings) -> ApiError {
    let config = &settings.issuer;
    ApiError::conflict(format!(
        "There is an issuer '{}' or one with the address {} already. Change it, or choose another name.",
        config.name, config.issuer
    ))
}

fn in_configuration(name: &str) -> ApiError {
    ApiError::conflict(format!(
        "The issuer '{name}', or one of the same address, is in the configuration file of the bff, and can only be changed there."
    ))
}

fn unknown() -> ApiError {
    ApiError::not_found("There is no issuer of this name.")
}

fn fixed<'a>(state: &'a State, name: &str) -> Option<&'a Provider> {
    let mut fixed = state.providers.fixed();
    let found = fixed.find(|fixed| fixed.config().name == name)?;
    Some(found)
}

fn not_fixed(state: &State, name: &str) -> Result<(), ApiError> {
    match fixed(state, name) {
        Some(_) => Err(in_configuration(name)),
        None => Ok(()),
    }
}

async fn find(state: &State, name: &str) -> Result<Stored, ApiError> {
    let found = state.providers.issuers().get(name).await;
    found.map_err(error::database)?.ok_or_else(unknown)
}

/// Fails if a test failed, at the member that is to be changed.
fn passed(examined: &Examined) -> Result<(), ApiError> {
    let Some(why) = examined.problem() else {
        return Ok(());
    };
    Err(ApiError::invalid_field(examined.pointer, why).with_detail(why))
}

fn not_stored(failed: StoreError) -> ApiError {
    match failed {
        StoreError::Database(failed) => error::database(failed),
        StoreError::NoKey => ApiError::conflict(
            "There is no key to encrypt the client secret with. The operator of the service can set `oidc.encryption_key_file` or `signing.encryption_key_file`; an issuer in the configuration needs none.",
        ),
    }
}

fn fixed_info(provider: &Provider) -> IssuerInfo {
    let config = provider.config();
    IssuerInfo {
        name: config.name.clone(),
        label: config.label.clone().unwrap_or_else(|| config.name.clone()),
        issuer: config.issuer.clone(),
        client_id: config.client_id.clone(),
        has_secret: config.client_secret.is_some(),
        scopes: config.scopes.clone(),
        audience: config.audience.clone(),
        groups_claim: config.groups_claim.clone(),
        name_claim: config.name_claim.clone(),
        rules: config.rules.iter().map(IssuerRule::from).collect(),
        addresses: provider.addresses(),
        fixed: true,
        replaced_by_fixed: false,
        problem: None,
        created_at: None,
        updated_at: None,
    }
}

fn info(state: &State, stored: &Stored) -> IssuerInfo {
    let providers = &state.providers;
    let problem = providers.issuers().opened(stored).err();
    IssuerInfo {
        has_secret: stored.has_secret(),
        fixed: false,
        replaced_by_fixed: providers.is_replaced(&stored.settings.issuer),
        problem,
        created_at: Some(stored.created_at),
        updated_at: Some(stored.updated_at),
        ..fixed_info(&provider(state, &stored.settings))
    }
}
