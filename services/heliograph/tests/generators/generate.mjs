// Makes a client of each document with each generator of TypeScript. Usage: node generate.mjs FOLDER, which holds the documents.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const documents = process.argv[2];
const SERVICES = ["bff", "orchestrator", "tools"];
// npm and node talk about themselves, too.
const OURS = /^(?!npm |\(node:|\(Use `node).*(warn|error|⚠|missing|unsupported|duplicate|collision)/im;

let failed = false;

function run(service, generator, ...command) {
  const made = spawnSync(process.execPath, command, { encoding: "utf8", env: { ...process.env, NO_COLOR: "1" } });
  const said = `${made.stdout}${made.stderr}`;
  if (made.status !== 0 || OURS.test(said)) {
    failed = true;
    console.error(`${generator} of ${service}: status ${made.status}\n${said}`);
  }
}

rmSync("out", { recursive: true, force: true });
for (const service of SERVICES) {
  const document = join(documents, `${service}.json`);
  const out = `out/${service}`;
  mkdirSync(out, { recursive: true });
  run(service, "hey-api", "node_modules/@hey-api/openapi-ts/bin/run.js", "-i", document, "-o", `${out}/hey-api`, "--no-log-file");
  run(service, "openapi-typescript", "node_modules/openapi-typescript/bin/cli.js", document, "-o", `${out}/schema.d.ts`);
  const config = `${out}/orval.config.cjs`;
  const output = { target: "orval/api.ts", schemas: "orval/model", mode: "tags-split", client: "fetch" };
  writeFileSync(config, `module.exports = ${JSON.stringify({ api: { input: document, output } })};\n`);
  run(service, "orval", "node_modules/orval/dist/bin/orval.js", "--config", config);
}
run("all", "tsc", "node_modules/typescript/bin/tsc", "-p", "tsconfig.json");
process.exit(failed ? 1 : 0);
