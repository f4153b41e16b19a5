// Verifies a webhook with the library of the specification, as a receiver would: reads
// {secret, headers, body}, prints the type of the message, and refuses a body that was changed.

import { readFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';

const { secret, headers, body } = JSON.parse(readFileSync(0, 'utf8'));
const webhook = new Webhook(secret);
const message = webhook.verify(body, headers);
let refused = false;
try {
  webhook.verify(`${body} `, headers);
} catch {
  refused = true;
}
console.log(`${message.type} ${refused}`);
