// Holds each document against the rules of Redocly and Spectral; any message is a fault. Usage: node lint.mjs FOLDER.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const documents = ["bff", "orchestrator", "tools"].map((service) => join(process.argv[2], `${service}.json`));

function run(...command) {
  const env = { ...process.env, NO_COLOR: "1", REDOCLY_TELEMETRY: "off" };
  const linted = spawnSync(process.execPath, command, { encoding: "utf8", env, maxBuffer: 1 << 26 });
  return { status: linted.status, said: `${linted.stdout}${linted.stderr}` };
}

const redocly = run("node_modules/@redocly/cli/bin/cli.js", "lint", "--config", "redocly.yaml", ...documents);
const spectral = run("node_modules/@stoplight/spectral-cli/dist/index.js", "lint", "--ruleset", "spectral.yaml", "--fail-severity", "hint", ...documents);
let failed = false;
for (const [name, { status, said }] of Object.entries({ redocly, spectral })) {
  if (status !== 0 || /\bwarnings?\b/i.test(said)) {
    failed = true;
    console.error(`${name}: status ${status}\n${said}`);
  }
}
process.exit(failed ? 1 : 0);
