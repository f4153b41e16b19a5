//! Suppliers, parts, warehouses, stock and orders to suppliers.

use super::lookups::PART_CATEGORY_COUNT;
use super::names::CITIES;
use super::people::People;
use super::{Context, at, index, later};
use crate::rows::{Hundredths, Rows, v};

const SUPPLIERS: [&str; 8] = [
    "Kältetechnik Nord",
    "Heizung & Mehr",
    "Elektro Brandt",
    "Pumpen Lorenz",
    "Filterwerk",
    "Liftteile Hanse",
    "Brandschutz Elbe",
    "Werkzeug Graf",
];
const PARTS: usize = 150;
const PART_NAMES: [&str; 15] = [
    "Air filter",
    "Expansion valve",
    "Pressure sensor",
    "Circulation pump",
    "Control board",
    "Ignition electrode",
    "Door roller",
    "Smoke detector",
    "Refrigerant R32",
    "Gasket set",
    "Thermostat",
    "Fan motor",
    "Contactor",
    "Drive belt",
    "Cleaning agent",
];
const SIZES: [&str; 10] = ["S", "M", "L", "XL", "10", "16", "25", "40", "Pro", "Eco"];
const WAREHOUSES: [&str; 3] = ["Central store", "Depot West", "Depot East"];
const PURCHASES: usize = 150;

/// The parts, as the other generators need them.
pub(super) struct Stock {
    pub parts: Vec<Part>,
    pub rows: Vec<Rows>,
}

#[derive(Clone, Copy)]
pub(super) struct Part {
    pub id: i64,
    pub supplier: i64,
    pub name: &'static str,
    pub cost: i64,
    pub price: i64,
}

pub(super) fn make(context: &mut Context, people: &People) -> Stock {
    let suppliers = suppliers(context);
    let (parts, part_rows) = parts(context);
    let (warehouses, levels) = warehouses(context, people);
    let (orders, lines) = purchases(context, people, &parts);
    Stock {
        parts,
        rows: vec![suppliers, part_rows, warehouses, levels, orders, lines],
    }
}

fn suppliers(context: &mut Context) -> Rows {
    let mut rows = Rows::of(
        "supplier",
        &[
            "id",
            "companyId",
            "name",
            "city",
            "leadTimeDays",
            "isActive",
        ],
    );
    for (n, name) in SUPPLIERS.into_iter().enumerate() {
        rows.push([
            v(context.id(n)),
            v(context.company()),
            v(name),
            v(context.dice.pick(&CITIES).0),
            v(context.dice.between(2, 14)),
            v(n != 7),
        ]);
    }
    rows
}

fn parts(context: &mut Context) -> (Vec<Part>, Rows) {
    let mut rows = Rows::of(
        "part",
        &[
            "id",
            "companyId",
            "partCategoryId",
            "supplierId",
            "partNumber",
            "name",
            "unit",
            "unitCost",
            "unitPrice",
            "isActive",
        ],
    );
    let mut parts = Vec::new();
    for n in 0..PARTS {
        let name = PART_NAMES[n % PART_NAMES.len()];
        let cost = context.dice.between(4, 180) * 100 + 50;
        let part = Part {
            id: context.id(n),
            supplier: context.id(n % SUPPLIERS.len()),
            name,
            cost,
            price: cost * 8 / 5,
        };
        let unit = if name.starts_with("Refrigerant") {
            "kg"
        } else {
            "pc"
        };
        let category = index(n) % PART_CATEGORY_COUNT + 1;
        rows.push([
            v(part.id),
            v(context.company()),
            v(category),
            v(part.supplier),
            v(format!("P-{:05}", 10_000 + n * 7)),
            v(format!("{name} {}", SIZES[n / PART_NAMES.len()])),
            v(unit),
            v(Hundredths(part.cost)),
            v(Hundredths(part.price)),
            v(!context.dice.percent(5)),
        ]);
        parts.push(part);
    }
    (parts, rows)
}

fn warehouses(context: &mut Context, people: &People) -> (Rows, Rows) {
    let mut warehouses = Rows::of(
        "warehouse",
        &["id", "companyId", "name", "city", "managerId"],
    );
    let mut levels = Rows::of(
        "stockLevel",
        &[
            "id",
            "companyId",
            "warehouseId",
            "partId",
            "quantity",
            "reorderPoint",
            "updatedAt",
        ],
    );
    for (n, name) in WAREHOUSES.into_iter().enumerate() {
        let manager = people.employees[15 + n].id;
        warehouses.push([
            v(context.id(n)),
            v(context.company()),
            v(name),
            v(CITIES[n].0),
            v(manager),
        ]);
        for part in 0..PARTS {
            // The depots hold only the parts that are needed often.
            if n > 0 && part % 3 != n - 1 {
                continue;
            }
            levels.push([
                v(context.id(levels.rows.len())),
                v(context.company()),
                v(context.id(n)),
                v(context.id(part)),
                v(context.dice.between(0, 60)),
                v(context.dice.between(4, 12)),
                v(at(context.some_day(0, 20), 17)),
            ]);
        }
    }
    (warehouses, levels)
}

fn purchases(context: &mut Context, people: &People, parts: &[Part]) -> (Rows, Rows) {
    let mut orders = Rows::of(
        "purchaseOrder",
        &[
            "id",
            "companyId",
            "supplierId",
            "warehouseId",
            "purchaseOrderNumber",
            "status",
            "orderedOn",
            "expectedOn",
            "receivedOn",
            "createdBy",
            "updatedBy",
            "createdAt",
            "updatedAt",
        ],
    );
    let mut lines = Rows::of(
        "purchaseOrderLine",
        &[
            "id",
            "companyId",
            "purchaseOrderId",
            "partId",
            "quantity",
            "unitCost",
        ],
    );
    for n in 0..PURCHASES {
        let (id, supplier) = (context.id(n), context.some_id(SUPPLIERS.len() - 1));
        let ordered = context.some_day(0, 360);
        let expected = later(ordered, context.dice.between(3, 14));
        let received = later(expected, context.dice.between(-1, 6));
        let (status, received) = match received {
            day if context.dice.percent(4) => ("cancelled", (day < ordered).then_some(day)),
            day if day <= context.anchor => ("received", Some(day)),
            _ => ("ordered", None),
        };
        let clerk = context.dice.pick(&people.office_users);
        let made = at(ordered, 14);
        orders.push([
            v(id),
            v(context.company()),
            v(supplier),
            v(context.some_id(WAREHOUSES.len())),
            v(format!("PO-{:05}", n + 1)),
            v(status),
            v(ordered),
            v(expected),
            v(received),
            v(clerk),
            v(clerk),
            v(made),
            v(made),
        ]);
        let offered: Vec<Part> = parts
            .iter()
            .copied()
            .filter(|part| part.supplier == supplier)
            .collect();
        for nth in 0..=context.dice.index(4) {
            let part = offered[(n + nth * 5) % offered.len()];
            lines.push([
                v(context.id(lines.rows.len())),
                v(context.company()),
                v(id),
                v(part.id),
                v(context.dice.between(2, 40)),
                v(Hundredths(part.cost)),
            ]);
        }
    }
    (orders, lines)
}
