-- The demonstration upstream: an emission inventory of another organisation, with users and rights of its own. No tenant's data.

CREATE TABLE tools.demo_inventory_users (
    subject    text PRIMARY KEY CHECK (length(subject) BETWEEN 1 AND 128),
    role       text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE tools.demo_inventory_cities (
    locode         text PRIMARY KEY,
    name           text NOT NULL,
    country        text NOT NULL,
    country_locode text NOT NULL,
    region         text NOT NULL,
    region_locode  text NOT NULL,
    area_km2       double precision NOT NULL
);

-- Which cities a user may see.
CREATE TABLE tools.demo_inventory_rights (
    subject text NOT NULL REFERENCES tools.demo_inventory_users ON DELETE CASCADE,
    locode  text NOT NULL REFERENCES tools.demo_inventory_cities ON DELETE CASCADE,
    PRIMARY KEY (subject, locode)
);

CREATE TABLE tools.demo_inventories (
    inventory_id uuid PRIMARY KEY,
    locode       text NOT NULL REFERENCES tools.demo_inventory_cities ON DELETE CASCADE,
    name         text NOT NULL,
    year         integer NOT NULL,
    UNIQUE (locode, year)
);

-- Tonnes a year by GPC reference number.
CREATE TABLE tools.demo_inventory_emissions (
    inventory_id uuid NOT NULL REFERENCES tools.demo_inventories ON DELETE CASCADE,
    reference    text NOT NULL,
    sector       text NOT NULL,
    subsector    text NOT NULL,
    scope        smallint NOT NULL CHECK (scope BETWEEN 1 AND 3),
    co2          double precision NOT NULL,
    ch4          double precision NOT NULL,
    n2o          double precision NOT NULL,
    co2eq        double precision NOT NULL,
    source       text NOT NULL,
    PRIMARY KEY (inventory_id, reference)
);
