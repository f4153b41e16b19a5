-- Adds to what a person has used of models on a day.
INSERT INTO orchestrator.model_usage AS u (tenant, day, owner, calls, input_tokens,
   cached_input_tokens, output_tokens, reasoning_tokens, cost_micros)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (tenant, day, owner) DO UPDATE SET
   calls = u.calls + EXCLUDED.calls,
   input_tokens = u.input_tokens + EXCLUDED.input_tokens,
   cached_input_tokens = u.cached_input_tokens + EXCLUDED.cached_input_tokens,
   output_tokens = u.output_tokens + EXCLUDED.output_tokens,
   reasoning_tokens = u.reasoning_tokens + EXCLUDED.reasoning_tokens,
   cost_micros = u.cost_micros + EXCLUDED.cost_micros
