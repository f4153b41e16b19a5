-- The demonstration has schemas of its own. Migrations 0004 and 0007 of earlier versions created its
-- tables here. Empty ones go now. Those with rows stay until the demonstration starts: it moves
-- them to its schemas, which this role may not be permitted to create.
DO $$
DECLARE
    v_tables text[];
    v_table  text;
    v_used   boolean;
BEGIN
    FOREACH v_tables SLICE 1 IN ARRAY ARRAY[
        -- A table comes after those that refer to it. Both groups have the same length.
        ARRAY['demo_containers', 'demo_shipments', 'demo_vessels', 'demo_ports', 'demo_ports'],
        ARRAY['demo_inventory_emissions', 'demo_inventories', 'demo_inventory_rights', 'demo_inventory_cities',
              'demo_inventory_users']
    ] LOOP
        v_used := false;
        FOREACH v_table IN ARRAY v_tables LOOP
            IF to_regclass('tools.' || v_table) IS NOT NULL AND NOT v_used THEN
                EXECUTE format('SELECT EXISTS (SELECT FROM tools.%I)', v_table) INTO v_used;
            END IF;
        END LOOP;
        IF NOT v_used THEN
            FOREACH v_table IN ARRAY v_tables LOOP
                EXECUTE format('DROP TABLE IF EXISTS tools.%I', v_table);
            END LOOP;
        END IF;
    END LOOP;
END
$$;
