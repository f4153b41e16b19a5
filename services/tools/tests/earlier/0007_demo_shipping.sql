-- The demonstration of the analyst: a freight forwarder's shipments, and the ports, vessels and containers they touch. No tenant's own data.
-- The columns are the names that people ask by; ids are unique within a tenant.

CREATE TABLE tools.demo_ports (
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

CREATE TABLE tools.demo_vessels (
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

CREATE TABLE tools.demo_shipments (
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
    FOREIGN KEY (tenant, vessel_id) REFERENCES tools.demo_vessels ON DELETE CASCADE,
    FOREIGN KEY (tenant, origin_port_id) REFERENCES tools.demo_ports ON DELETE CASCADE,
    FOREIGN KEY (tenant, destination_port_id) REFERENCES tools.demo_ports ON DELETE CASCADE
);

CREATE INDEX demo_shipments_destination ON tools.demo_shipments (tenant, destination_port_id, actual_arrival);
CREATE INDEX demo_shipments_arrival ON tools.demo_shipments (tenant, actual_arrival);
CREATE INDEX demo_shipments_vessel ON tools.demo_shipments (tenant, vessel_id, actual_arrival);

CREATE TABLE tools.demo_containers (
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
    FOREIGN KEY (tenant, shipment_id) REFERENCES tools.demo_shipments ON DELETE CASCADE
);

CREATE INDEX demo_containers_shipment ON tools.demo_containers (tenant, shipment_id);
CREATE INDEX demo_containers_event ON tools.demo_containers (tenant, last_event_at);
