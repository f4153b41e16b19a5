-- Who reads a collection of documents: `role:NAME` (that role and those above) and `group:NAME`. Everybody has `role:viewer`.
ALTER TABLE tools.knowledge_collections
    ADD COLUMN collection_id uuid NOT NULL DEFAULT gen_random_uuid(),
    ADD COLUMN readers text[] NOT NULL DEFAULT '{role:viewer}' CHECK (cardinality(readers) BETWEEN 1 AND 60);
CREATE UNIQUE INDEX knowledge_collections_id ON tools.knowledge_collections (tenant, collection_id);
