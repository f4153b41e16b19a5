-- Numbers of schedules: each owner counts from 1, and a number that was given stays given after its schedule was deleted.

CREATE TABLE orchestrator.schedule_numbers (
    tenant text    NOT NULL,
    owner  text    NOT NULL,
    last   integer NOT NULL,
    PRIMARY KEY (tenant, owner)
);

ALTER TABLE orchestrator.schedules ADD COLUMN number integer;

-- The places in the list, by which people know them so far.
UPDATE orchestrator.schedules AS s
SET number = placed.place
FROM (
    SELECT tenant, schedule_id, row_number() OVER (PARTITION BY tenant, owner ORDER BY created_at, schedule_id) AS place
    FROM orchestrator.schedules
) AS placed
WHERE s.tenant = placed.tenant AND s.schedule_id = placed.schedule_id;

INSERT INTO orchestrator.schedule_numbers (tenant, owner, last)
SELECT tenant, owner, max(number) FROM orchestrator.schedules GROUP BY tenant, owner;

-- A process of the former release, which runs for a while beside this one, gives none: the trigger does.
CREATE FUNCTION orchestrator.number_schedule() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.number IS NULL THEN
        INSERT INTO orchestrator.schedule_numbers AS n (tenant, owner, last) VALUES (NEW.tenant, NEW.owner, 1)
        ON CONFLICT (tenant, owner) DO UPDATE SET last = n.last + 1
        RETURNING n.last INTO NEW.number;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER schedules_number BEFORE INSERT ON orchestrator.schedules
    FOR EACH ROW EXECUTE FUNCTION orchestrator.number_schedule();

ALTER TABLE orchestrator.schedules ALTER COLUMN number SET NOT NULL;
CREATE UNIQUE INDEX schedules_of_number ON orchestrator.schedules (tenant, owner, number);
