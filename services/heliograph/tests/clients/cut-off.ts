// Asks over connections that break, and asks what is refused. Prints what came as JSON.
import { Heliograph, Refused } from "heliograph-client";

declare const process: { env: Record<string, string> };

const { HELIOGRAPH_URL, HELIOGRAPH_USER, HELIOGRAPH_PASSWORD, HELIOGRAPH_THREAD } = process.env;
const heliograph = await Heliograph.signIn(HELIOGRAPH_URL, HELIOGRAPH_USER, HELIOGRAPH_PASSWORD);
let text = "";
for await (const event of heliograph.ask("Morning briefing", { threadId: HELIOGRAPH_THREAD })) {
  if (event.type === "text-delta") text += event.delta;
}
let refused = "";
try {
  for await (const event of heliograph.ask("Hello", { assistant: "nobody" as "site" })) text += event.type;
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  refused = error.message;
}
console.log(JSON.stringify({ text, refused }));
