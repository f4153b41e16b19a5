// The official conformance suite of the Model Context Protocol against a running Heliograph. The suite sends no credential, so a proxy adds it.
// `conformance.yaml` lists the scenarios that call tools, resources and prompts which only the suite's own example server has.
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
const suite = ["node_modules/@modelcontextprotocol/conformance/dist/index.js", "server", "--url", url];
const more = ["--suite", "all", "--expected-failures", "conformance.yaml"];
const run = spawn(process.execPath, [...suite, ...more], { stdio: "inherit" });
run.on("exit", (code) => {
  proxy.closeAllConnections();
  proxy.close();
  process.exitCode = code ?? 1;
});
