-- Deletes vectors of text that no document has, and that are older than this number of days.
DELETE FROM tools.knowledge_embeddings e
WHERE e.created_at < now() - make_interval(days => $1)
  AND NOT EXISTS (
      SELECT FROM tools.knowledge_chunks c WHERE c.tenant = e.tenant AND c.content_hash = e.content_hash
  )
