// Holds each document against the rules of Redocly and Spectral; any message is a fault. Usage: node lint.mjs FOLDER.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const documents = ["bff", "orchestrator", "tools"].map((service) => join(process.argv[2], `${service}.json`));

function run(...command) {
  const env = { ...process.env, NO_COLOR: "1", REDOCLY_TELEMETRY: "off" };
  const linted = spawnSync(process.execPath, command, { encoding: "utf8", env, maxBuffer: 1 << 26 });
  // Both write JSON, Spectral with a sentence behind it.
  const json = linted.stdout.slice(0, Math.max(linted.stdout.lastIndexOf("]"), linted.stdout.lastIndexOf("}")) + 1);
  try {
    return JSON.parse(json);
  } catch {
    throw new Error(`${command.join(" ")}: ${linted.stdout}${linted.stderr}`);
  }
}

const faults = [];
for (const document of documents) {
  const redocly = run("node_modules/@redocly/cli/bin/cli.js", "lint", "--config", "redocly.yaml", "--format", "json", document);
  const spectral = run("node_modules/@stoplight/spectral-cli/dist/index.js", "lint", "--ruleset", "spectral.yaml", "--format", "json", document);
  faults.push(...redocly.problems.map(({ ruleId, message, location }) => `redocly ${ruleId}: ${message} ${location?.[0]?.pointer}`));
  faults.push(...spectral.map(({ code, message, path }) => `spectral ${code}: ${message} ${path.join("/")}`));
}
console.error(faults.join("\n"));
process.exit(faults.length > 0 ? 1 : 0);
