// The official conformance suite of the Model Context Protocol against a running Heliograph: the newest release, and its next one in each revision of
// the protocol. The suite sends no credential, so a proxy adds it. `conformance.yaml` and `conformance-next.yaml` list the scenarios that call tools,
// resources and prompts which only the suite's own example server has; a scenario among them that passes is a failure, too.
import { spawn } from "node:child_process";
import http from "node:http";

const target = new URL(process.env.HELIOGRAPH_URL);
const proxy = http.createServer((request, response) => {
  const headers = { ...request.headers, authorization: `Bearer ${process.env.HELIOGRAPH_TOKEN}` };
  const passed = http.request({ host: target.hostname, port: target.port, path: request.url, method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  passed.on("error", () => response.destroy());
  response.on("close", () => passed.destroy());
  request.pipe(passed);
});
await new Promise((listening) => proxy.listen(0, "127.0.0.1", listening));
const url = `http://127.0.0.1:${proxy.address().port}/mcp`;

/** Runs all scenarios of a suite for servers; its exit code. */
function run(suite, expected, more) {
  const options = ["server", "--url", url, "--suite", "all", "--expected-failures", expected, ...more];
  const child = spawn(process.execPath, [`node_modules/${suite}/dist/index.js`, ...options], { stdio: "inherit" });
  return new Promise((ended) => child.on("exit", (code) => ended(code ?? 1)));
}

const codes = [await run("@modelcontextprotocol/conformance", "conformance.yaml", [])];
for (const revision of ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]) {
  codes.push(await run("conformance-next", "conformance-next.yaml", ["--spec-version", revision]));
}
proxy.closeAllConnections();
proxy.close();
process.exitCode = Math.max(...codes);
