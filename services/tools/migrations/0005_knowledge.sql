-- Documents, their chunks and embeddings. No extension is needed: where pgvector is there, the crate `knowledge` makes the tables
-- `knowledge_vectors_<model_key>` beside these at run time.

CREATE TABLE tools.knowledge_tenants (
    tenant  text PRIMARY KEY CHECK (tenant <> ''),
    chunks  bigint NOT NULL DEFAULT 0,
    -- Counts every change of the tenant's chunks and vectors, so that a process knows whether what it remembers is current. Whoever
    -- writes for a tenant locks this row first.
    version bigint NOT NULL DEFAULT 0
);

CREATE TABLE tools.knowledge_collections (
    collection_key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant         text NOT NULL REFERENCES tools.knowledge_tenants,
    name           text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    created_at     timestamptz NOT NULL DEFAULT now(),
    UNIQUE (tenant, name),
    UNIQUE (collection_key, tenant)
);

CREATE TABLE tools.knowledge_documents (
    document_id    uuid PRIMARY KEY,
    tenant         text NOT NULL,
    collection_key integer NOT NULL,
    filename       text NOT NULL CHECK (length(filename) BETWEEN 1 AND 1000),
    media_type     text NOT NULL,
    bytes          bigint NOT NULL,
    -- SHA-256 of the bytes.
    content_hash   bytea NOT NULL,
    -- How it was read and cut; another recipe makes other chunks of the same bytes.
    recipe         text NOT NULL,
    chunks         integer NOT NULL,
    -- What the document says of itself: its title, its pages.
    metadata       jsonb NOT NULL DEFAULT '{}',
    created_at     timestamptz NOT NULL DEFAULT now(),
    updated_at     timestamptz NOT NULL DEFAULT now(),
    UNIQUE (collection_key, filename),
    UNIQUE (document_id, tenant),
    FOREIGN KEY (collection_key, tenant) REFERENCES tools.knowledge_collections (collection_key, tenant)
);

CREATE INDEX knowledge_documents_tenant ON tools.knowledge_documents (tenant);

CREATE TABLE tools.knowledge_chunks (
    chunk_id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    document_id  uuid NOT NULL,
    tenant       text NOT NULL,
    chunk_index  integer NOT NULL CHECK (chunk_index >= 0),
    headings     text[] NOT NULL,
    content      text NOT NULL,
    page         integer,
    -- SHA-256 of what is embedded: headings and content.
    content_hash bytea NOT NULL,
    -- Its words, those of its headings with weight A, and `tenant:<name>`, with which one index serves all tenants.
    terms        tsvector NOT NULL,
    FOREIGN KEY (document_id, tenant) REFERENCES tools.knowledge_documents (document_id, tenant) ON DELETE CASCADE,
    -- Chunks move when others come and go before them.
    UNIQUE (document_id, chunk_index) DEFERRABLE INITIALLY DEFERRED
);

CREATE INDEX knowledge_chunks_terms ON tools.knowledge_chunks USING gin (terms) WITH (fastupdate = off);
CREATE INDEX knowledge_chunks_hash ON tools.knowledge_chunks (tenant, content_hash);

-- In how many chunks of a tenant a word is: rare words weigh more.
CREATE TABLE tools.knowledge_terms (
    tenant text NOT NULL,
    term   text NOT NULL,
    chunks integer NOT NULL,
    PRIMARY KEY (tenant, term)
) WITH (fillfactor = 80);

CREATE TABLE tools.knowledge_models (
    model_key  integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text NOT NULL,
    dimensions integer NOT NULL CHECK (dimensions > 0),
    UNIQUE (name, dimensions)
);

-- Every vector that was made, by what it was made of. Text that moved or came back costs nothing.
CREATE TABLE tools.knowledge_embeddings (
    model_key    integer NOT NULL REFERENCES tools.knowledge_models,
    tenant       text NOT NULL,
    content_hash bytea NOT NULL,
    -- Of length 1.
    embedding    real[] NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (model_key, tenant, content_hash)
);
