//! The only road to search sources: Elasticsearch, GraphQL endpoints, and PostgreSQL in their place.
