-- Moves a person's use of models to the tenant.
WITH gone AS (
   DELETE FROM orchestrator.model_usage WHERE tenant = $1 AND owner = $2 RETURNING *
)
INSERT INTO orchestrator.model_usage AS u (tenant, day, owner, calls, input_tokens,
   cached_input_tokens, output_tokens, reasoning_tokens, cost_micros)
SELECT tenant, day, '', calls, input_tokens, cached_input_tokens, output_tokens,
   reasoning_tokens, cost_micros
FROM gone
ON CONFLICT (tenant, day, owner) DO UPDATE SET
   calls = u.calls + EXCLUDED.calls,
   input_tokens = u.input_tokens + EXCLUDED.input_tokens,
   cached_input_tokens = u.cached_input_tokens + EXCLUDED.cached_input_tokens,
   output_tokens = u.output_tokens + EXCLUDED.output_tokens,
   reasoning_tokens = u.reasoning_tokens + EXCLUDED.reasoning_tokens,
   cost_micros = u.cost_micros + EXCLUDED.cost_micros
