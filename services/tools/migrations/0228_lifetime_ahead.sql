-- What other sources counted while a lifetime register stood still or sent nothing: a register that catches up counts it again.
ALTER TABLE tools.daily
    ADD COLUMN closing_lifetime_ahead_kwh double precision NOT NULL DEFAULT 0;
