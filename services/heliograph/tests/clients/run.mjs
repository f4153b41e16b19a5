// Runs named journeys one after the other, says how each went, and fails when one did.

import { readFile } from 'node:fs/promises';

export async function run(journeys, client) {
  console.log(`${client}, node ${process.versions.node}`);
  for (const [name, journey] of Object.entries(journeys)) {
    try {
      const remark = await journey();
      console.log(`  ok      ${name}${remark ? ` (${remark})` : ''}`);
    } catch (error) {
      process.exitCode = 1;
      console.log(`  FAILED  ${name}\n${error.stack ?? error}`);
    }
  }
}

/** An installed package's name and version, as it says itself. */
export async function version(alias) {
  const file = new URL(`node_modules/${alias}/package.json`, import.meta.url);
  const { name, version } = JSON.parse(await readFile(file, 'utf8'));
  return `${name} ${version}`;
}
