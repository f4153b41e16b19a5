// Signs in, calls three tools, holds a chat with cards, and reads a stream again.
// Usage: HELIOGRAPH_URL=… HELIOGRAPH_USER=… HELIOGRAPH_PASSWORD=… node chat.js
import { Heliograph, getFleetOverview, getPowerCurve, listLoggers } from "heliograph-client";

declare const process: { env: Record<string, string | undefined>; exitCode: number };

const { HELIOGRAPH_URL: url = "http://127.0.0.1:8080", HELIOGRAPH_USER: user = "demo", HELIOGRAPH_PASSWORD: password = "" } = process.env;
const heliograph = await Heliograph.signIn(url, user, password);
const client = heliograph.client;

const loggers = await listLoggers({ client, throwOnError: true });
const [logger] = loggers.data.result?.loggers ?? [];
if (!logger?.latestData) throw new Error("there is no device with data");
console.log(`device ${logger.loggerId}`);
const overview = await getFleetOverview({ client, body: {}, throwOnError: true });
console.log(`fleet ${overview.data.status}`);
const curve = await getPowerCurve({ client, body: { logger_id: logger.loggerId, date: logger.latestData.slice(0, 10) }, throwOnError: true });
console.log(`peak ${curve.data.summaryStats?.peakValue} W`);

const answer = heliograph.ask("Give me the morning briefing");
let text = "";
const cards: string[] = [];
let events = 0;
for await (const event of answer) {
  events += 1;
  if (event.type === "text-delta") text += event.delta;
  if (event.type === "tool-input-available" && event.toolName === "render_ui_component") cards.push(JSON.stringify(event.input));
}
console.log(text);
console.log(`cards ${cards.length}, events ${events}`);

// The answer is being made whether it is read or not: leave, and come back.
const question = heliograph.ask(`Check the health of ${logger.loggerId}`, { threadId: answer.threadId });
for await (const event of question) if (event.type === "start") break;
let resumed = 0;
for await (const _event of heliograph.resume(answer.threadId!)) resumed += 1;
console.log(`resumed ${resumed > 0 ? "a stream" : "nothing: it had ended"}`);
if (!text || events === 0) process.exitCode = 1;
