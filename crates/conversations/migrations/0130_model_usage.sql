-- What the models of a person's answers read and wrote, by day (UTC): for budgets and reports. The
-- owner is empty for what persons used who were erased since.
CREATE TABLE orchestrator.model_usage (
    tenant              text   NOT NULL,
    day                 date   NOT NULL,
    owner               text   NOT NULL,
    calls               bigint NOT NULL DEFAULT 0,
    input_tokens        bigint NOT NULL DEFAULT 0,
    cached_input_tokens bigint NOT NULL DEFAULT 0,
    output_tokens       bigint NOT NULL DEFAULT 0,
    reasoning_tokens    bigint NOT NULL DEFAULT 0,
    -- Millionths of the currency of the configured prices.
    cost_micros         bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, day, owner)
);
