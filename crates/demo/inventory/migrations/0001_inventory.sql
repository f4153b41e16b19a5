-- The emission inventory of another organisation, with its own users and permissions.

-- Earlier versions had these tables in the schema `tools`. They move here with their rows.
DO $$
DECLARE
    v_old text;
    v_new text;
BEGIN
    FOR v_old, v_new IN
        SELECT * FROM (VALUES ('demo_inventory_users', 'users'),
                            ('demo_inventory_cities', 'cities'),
                            ('demo_inventory_rights', 'rights'),
                            ('demo_inventories', 'inventories'),
                            ('demo_inventory_emissions', 'emissions')) AS tables (old, new)
    LOOP
        IF to_regclass('tools.' || v_old) IS NOT NULL THEN
            EXECUTE format('ALTER TABLE tools.%I SET SCHEMA demo_inventory', v_old);
            EXECUTE format('ALTER TABLE demo_inventory.%I RENAME TO %I', v_old, v_new);
        END IF;
    END LOOP;
END
$$;

CREATE TABLE IF NOT EXISTS demo_inventory.users (
    subject    text PRIMARY KEY CHECK (length(subject) BETWEEN 1 AND 128),
    role       text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE IF NOT EXISTS demo_inventory.cities (
    locode         text PRIMARY KEY,
    name           text NOT NULL,
    country        text NOT NULL,
    country_locode text NOT NULL,
    region         text NOT NULL,
    region_locode  text NOT NULL,
    area_km2       double precision NOT NULL
);

-- Which cities a user may see.
CREATE TABLE IF NOT EXISTS demo_inventory.rights (
    subject text NOT NULL REFERENCES demo_inventory.users ON DELETE CASCADE,
    locode  text NOT NULL REFERENCES demo_inventory.cities ON DELETE CASCADE,
    PRIMARY KEY (subject, locode)
);

CREATE TABLE IF NOT EXISTS demo_inventory.inventories (
    inventory_id uuid PRIMARY KEY,
    locode       text NOT NULL REFERENCES demo_inventory.cities ON DELETE CASCADE,
    name         text NOT NULL,
    year         integer NOT NULL,
    UNIQUE (locode, year)
);

-- Tonnes a year by GPC reference number.
CREATE TABLE IF NOT EXISTS demo_inventory.emissions (
    inventory_id uuid NOT NULL REFERENCES demo_inventory.inventories ON DELETE CASCADE,
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
