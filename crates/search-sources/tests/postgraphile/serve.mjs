// Serves a schema of a PostgreSQL database as GraphQL on a free loopback port, which is the first line of the output.
// It ends with its standard input, so that it never outlives the test that started it.
//
//   node serve.mjs <connection string> <schema> plain|full
import { createServer } from "node:http";

import { PgSimplifyInflectionPreset } from "@graphile/simplify-inflection";
import { postgraphile } from "postgraphile";
import { PostGraphileConnectionFilterPreset } from "postgraphile-plugin-connection-filter";
import { makePgService } from "postgraphile/adaptors/pg";
import { grafserv } from "postgraphile/grafserv/node";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";

// Its makers ask for node 22, for nothing but this as far as we use it; 20 is what many systems still have.
Promise.withResolvers ??= function withResolvers() {
  let resolve, reject;
  const promise = new this((...settle) => ([resolve, reject] = settle));
  return { promise, resolve, reject };
};

const [connectionString, schema, variant] = process.argv.slice(2);
const presets = {
  plain: [PostGraphileAmberPreset],
  full: [PostGraphileAmberPreset, PgSimplifyInflectionPreset, PostGraphileConnectionFilterPreset],
};
const instance = postgraphile({
  extends: presets[variant],
  pgServices: [makePgService({ connectionString, schemas: [schema] })],
  grafserv: { graphqlPath: "/graphql", graphiql: false, watch: false },
});
// Requests that come before the schema is made fail.
await instance.getSchema();
const server = createServer();
await instance.createServ(grafserv).addTo(server);
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
