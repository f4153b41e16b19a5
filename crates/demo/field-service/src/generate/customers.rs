//! Customers, their sites and contacts, contracts and equipment.

use super::lookups::{ASSET_TYPES, SERVICE_LEVEL_COUNT};
use super::names::{self, CITIES, person, phone, street};
use super::people::People;
use super::{Context, at, index, later};
use crate::rows::{Hundredths, Rows, Secret, v};

const CUSTOMERS: usize = 200;
const MANUFACTURERS: [&str; 6] = ["Arktis", "Boreal", "Calor", "Delphin", "Energo", "Fenix"];

/// The customers, as the other generators need them.
pub(super) struct Customers {
    pub places: Vec<Place>,
    pub contracts: Vec<Contract>,
    pub rows: Vec<Rows>,
}

pub(super) struct Place {
    pub id: i64,
    pub customer: i64,
    /// The customer's active contract.
    pub contract: Option<i64>,
    pub assets: Vec<Asset>,
}

#[derive(Clone, Copy)]
pub(super) struct Asset {
    pub id: i64,
    /// The index in the list of asset types.
    pub kind: usize,
}

pub(super) struct Contract {
    pub customer: i64,
    pub monthly_fee: i64,
}

struct Tables {
    customers: Rows,
    places: Rows,
    contacts: Rows,
    contracts: Rows,
    assets: Rows,
}

pub(super) fn make(context: &mut Context, people: &People) -> Customers {
    let mut made = Customers {
        places: Vec::new(),
        contracts: Vec::new(),
        rows: Vec::new(),
    };
    let mut tables = Tables::new();
    for n in 0..CUSTOMERS {
        let kind = match context.dice.between(1, 10) {
            1..=4 => "residential",
            5..=8 => "commercial",
            _ => "public",
        };
        let customer = context.id(n);
        customer_row(context, people, &mut tables.customers, n, kind);
        let contract = (kind != "residential" && context.dice.percent(70))
            .then(|| contract(context, people, &mut tables.contracts, customer, &mut made));
        let places = if kind == "residential" {
            1
        } else {
            context.dice.between(1, 3)
        };
        for nth in 0..places {
            let place = place(context, &mut tables, customer, contract.flatten(), nth);
            made.places.push(place);
        }
    }
    let Tables {
        customers,
        places,
        contacts,
        contracts,
        assets,
    } = tables;
    made.rows = vec![customers, places, contacts, contracts, assets];
    made
}

fn customer_row(
    context: &mut Context,
    people: &People,
    rows: &mut Rows,
    n: usize,
    kind: &'static str,
) {
    let name = names::customer(kind, n);
    let email = format!("service{}@customer{}.example", context.company(), n + 1);
    let manager = people.employees[15 + n % 4].id;
    let clerk = context.dice.pick(&people.office_users);
    let made = at(context.some_day(30, 1500), 11);
    let active = !context.dice.percent(6);
    rows.push([
        v(context.id(n)),
        v(context.company()),
        v(format!("C-{:04}", n + 1)),
        v(Secret(name)),
        v(Secret(email)),
        v(phone(&mut context.dice)),
        v(kind),
        v(manager),
        v(if kind == "residential" { 14 } else { 30 }),
        v(active),
        v(clerk),
        v(clerk),
        v(made),
        v(made),
    ]);
}

/// Adds a contract and returns its id if it is active.
fn contract(
    context: &mut Context,
    people: &People,
    rows: &mut Rows,
    customer: i64,
    made: &mut Customers,
) -> Option<i64> {
    let id = context.id(rows.rows.len());
    let begins = context.some_day(100, 900);
    let ends = later(begins, context.dice.pick(&[365, 730, 1095]));
    let level = context.dice.between(1, SERVICE_LEVEL_COUNT);
    let monthly_fee = level * context.dice.between(60, 140) * 100;
    let clerk = context.dice.pick(&people.office_users);
    let active = ends >= context.anchor;
    rows.push([
        v(id),
        v(context.company()),
        v(customer),
        v(level),
        v(format!("K-{:04}", rows.rows.len() + 1)),
        v(begins),
        v(ends),
        v(Hundredths(monthly_fee)),
        v(active),
        v(clerk),
        v(clerk),
        v(at(begins, 9)),
        v(at(begins, 9)),
    ]);
    if active {
        made.contracts.push(Contract {
            customer,
            monthly_fee,
        });
    }
    active.then_some(id)
}

fn place(
    context: &mut Context,
    tables: &mut Tables,
    customer: i64,
    contract: Option<i64>,
    nth: i64,
) -> Place {
    let id = context.id(tables.places.rows.len());
    let (city, region, postal, latitude, longitude) = context.dice.pick(&CITIES);
    let name = if nth == 0 {
        "Main site".to_owned()
    } else {
        format!("Branch {nth}")
    };
    let postal = Secret(format!("{postal}{:02}", context.dice.between(0, 99)));
    let made = at(context.some_day(30, 1500), 11);
    tables.places.push([
        v(id),
        v(context.company()),
        v(customer),
        v(name),
        v(street(&mut context.dice)),
        v(postal),
        v(city),
        v(region),
        v(Hundredths(latitude + context.dice.between(-4, 4))),
        v(Hundredths(longitude + context.dice.between(-4, 4))),
        v(nth == 0),
        v(made),
        v(made),
    ]);
    let contact = tables.contacts.rows.len();
    let who = person(contact * 3 + 100 + if context.company() == 1 { 0 } else { 777 });
    let text = |text: &str| Secret(text.to_owned());
    tables.contacts.push([
        v(context.id(contact)),
        v(context.company()),
        v(customer),
        v((nth > 0).then_some(id)),
        v(text(who.first)),
        v(text(who.last)),
        v(who.email("contact.example")),
        v(phone(&mut context.dice)),
        v(nth == 0),
        v(made),
        v(made),
    ]);
    let mut place = Place {
        id,
        customer,
        contract,
        assets: Vec::new(),
    };
    for _ in 0..context.dice.between(1, 3) {
        place.assets.push(asset(context, &mut tables.assets, id));
    }
    place
}

fn asset(context: &mut Context, rows: &mut Rows, place: i64) -> Asset {
    let n = rows.rows.len();
    let id = context.id(n);
    let kind = context.dice.index(ASSET_TYPES.len());
    let installed = context.some_day(60, 4000);
    let model = format!(
        "{}-{}",
        &ASSET_TYPES[kind].0[..2].to_uppercase(),
        context.dice.between(10, 99) * 10
    );
    rows.push([
        v(id),
        v(context.company()),
        v(place),
        v(index(kind) + 1),
        v(format!("SN-{:06}", 17 * n + 1009)),
        v(context.dice.pick(&MANUFACTURERS)),
        v(model),
        v(installed),
        v(later(installed, 730)),
        v(!context.dice.percent(4)),
    ]);
    Asset { id, kind }
}

impl Tables {
    fn new() -> Self {
        Self {
            customers: Rows::of(
                "customer",
                &[
                    "id",
                    "companyId",
                    "customerNumber",
                    "name",
                    "email",
                    "phone",
                    "type",
                    "accountManagerId",
                    "paymentTermDays",
                    "isActive",
                    "createdBy",
                    "updatedBy",
                    "createdAt",
                    "updatedAt",
                ],
            ),
            places: Rows::of(
                "customerLocation",
                &[
                    "id",
                    "companyId",
                    "customerId",
                    "name",
                    "street",
                    "postalCode",
                    "city",
                    "region",
                    "latitude",
                    "longitude",
                    "isBilling",
                    "createdAt",
                    "updatedAt",
                ],
            ),
            contacts: Rows::of(
                "customerContact",
                &[
                    "id",
                    "companyId",
                    "customerId",
                    "customerLocationId",
                    "firstName",
                    "lastName",
                    "email",
                    "phone",
                    "isPrimary",
                    "createdAt",
                    "updatedAt",
                ],
            ),
            contracts: Rows::of(
                "contract",
                &[
                    "id",
                    "companyId",
                    "customerId",
                    "serviceLevelId",
                    "contractNumber",
                    "startsOn",
                    "endsOn",
                    "monthlyFee",
                    "isActive",
                    "createdBy",
                    "updatedBy",
                    "createdAt",
                    "updatedAt",
                ],
            ),
            assets: Rows::of(
                "asset",
                &[
                    "id",
                    "companyId",
                    "customerLocationId",
                    "assetTypeId",
                    "serialNumber",
                    "manufacturer",
                    "model",
                    "installedOn",
                    "warrantyUntil",
                    "isActive",
                ],
            ),
        }
    }
}
