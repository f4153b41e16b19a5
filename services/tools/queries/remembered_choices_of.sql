-- What a person chose for any of these words.
SELECT mention, source, entity_type, entity_id
FROM tools.remembered_choices
WHERE tenant = $1
  AND subject = $2
  AND mention = ANY($3);
