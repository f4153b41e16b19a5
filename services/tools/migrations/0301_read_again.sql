-- The number of the newest reading of a target's catalogue on demand. A process that did not read it finds another number
-- here than it knows, and reads it, too.

ALTER TABLE tools.tested ADD COLUMN reading bigint;
