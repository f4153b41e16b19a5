-- Everything that a person chose, the newest first.
SELECT mention, source, entity_type, entity_id, chosen_at
FROM tools.remembered_choices
WHERE tenant = $1
  AND subject = $2
ORDER BY chosen_at DESC, mention
LIMIT 1000
