-- The shipments of a freight forwarder, and the ports, vessels and containers that they use. The
-- columns have the names that users ask by; ids are unique within a tenant.

-- Earlier versions had these tables in the schema `tools`. They move here with their rows.
DO $$
DECLARE
    v_old text;
    v_new text;
BEGIN
    FOR v_old, v_new IN
        SELECT * FROM (VALUES ('demo_ports', 'ports'),
                            ('demo_vessels', 'vessels'),
                            ('demo_shipments', 'shipments'),
                            ('demo_containers', 'containers')) AS tables (old, new)
    LOOP
        IF to_regclass('tools.' || v_old) IS NOT NULL THEN
            EXECUTE format('ALTER TABLE tools.%I SET SCHEMA demo_freight', v_old);
            EXECUTE format('ALTER TABLE demo_freight.%I RENAME TO %I', v_old, v_new);
        END IF;
    END LOOP;
END
$$;

CREATE TABLE IF NOT EXISTS demo_freight.ports (
    tenant   text NOT NULL,
    port_id  text NOT NULL,
    name     text NOT NULL,
    aliases  text[] NOT NULL,
    unlocode text NOT NULL,
    city     text NOT NULL,
    country  text NOT NULL,
    terminal boolean NOT NULL,
    PRIMARY KEY (tenant, port_id)
);

CREATE TABLE IF NOT EXISTS demo_freight.vessels (
    tenant       text NOT NULL,
    vessel_id    text NOT NULL,
    name         text NOT NULL,
    imo          text NOT NULL,
    carrier      text NOT NULL,
    flag         text NOT NULL,
    built        integer NOT NULL,
    capacity_teu integer NOT NULL,
    status       text NOT NULL CHECK (status IN ('at_sea', 'in_port', 'in_dock')),
    current_port text,
    PRIMARY KEY (tenant, vessel_id)
);

CREATE TABLE IF NOT EXISTS demo_freight.shipments (
    tenant              text NOT NULL,
    shipment_id         text NOT NULL,
    reference           text NOT NULL,
    status              text NOT NULL CHECK (status IN ('booked', 'in_transit', 'arrived', 'delivered', 'cancelled')),
    vessel_id           text NOT NULL,
    vessel_name         text NOT NULL,
    carrier             text NOT NULL,
    origin_port_id      text NOT NULL,
    origin_port         text NOT NULL,
    destination_port_id text NOT NULL,
    destination_port    text NOT NULL,
    commodity           text NOT NULL,
    container_count     integer NOT NULL,
    weight_kg           double precision NOT NULL,
    value_usd           double precision NOT NULL,
    hazardous           boolean NOT NULL,
    planned_departure   timestamptz NOT NULL,
    actual_departure    timestamptz,
    planned_arrival     timestamptz NOT NULL,
    actual_arrival      timestamptz,
    delay_hours         double precision GENERATED ALWAYS AS
                        (round((extract(epoch FROM actual_arrival - planned_arrival) / 3600)::numeric, 2)::double precision) STORED,
    is_late             boolean GENERATED ALWAYS AS (actual_arrival - planned_arrival > interval '24 hours') STORED,
    PRIMARY KEY (tenant, shipment_id),
    FOREIGN KEY (tenant, vessel_id) REFERENCES demo_freight.vessels ON DELETE CASCADE,
    FOREIGN KEY (tenant, origin_port_id) REFERENCES demo_freight.ports ON DELETE CASCADE,
    FOREIGN KEY (tenant, destination_port_id) REFERENCES demo_freight.ports ON DELETE CASCADE
);

CREATE INDEX IF NOT EXISTS demo_shipments_destination ON demo_freight.shipments (tenant, destination_port_id, actual_arrival);
CREATE INDEX IF NOT EXISTS demo_shipments_arrival ON demo_freight.shipments (tenant, actual_arrival);
CREATE INDEX IF NOT EXISTS demo_shipments_vessel ON demo_freight.shipments (tenant, vessel_id, actual_arrival);

CREATE TABLE IF NOT EXISTS demo_freight.containers (
    tenant        text NOT NULL,
    container_id  text NOT NULL,
    type          text NOT NULL CHECK (type IN ('dry', 'reefer', 'open_top', 'tank')),
    size_ft       integer NOT NULL,
    status        text NOT NULL CHECK (status IN ('at_sea', 'in_port', 'gate_out', 'empty', 'returned')),
    shipment_id   text NOT NULL,
    location_port text,
    last_event    text NOT NULL,
    last_event_at timestamptz NOT NULL,
    temperature_c double precision,
    PRIMARY KEY (tenant, container_id),
    FOREIGN KEY (tenant, shipment_id) REFERENCES demo_freight.shipments ON DELETE CASCADE
);

CREATE INDEX IF NOT EXISTS demo_containers_shipment ON demo_freight.containers (tenant, shipment_id);
CREATE INDEX IF NOT EXISTS demo_containers_event ON demo_freight.containers (tenant, last_event_at);
