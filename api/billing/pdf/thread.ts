import { type MessagePort, parentPort } from 'node:worker_threads';
import { draw } from './draw.ts';
import type { Printout } from './printer.ts';
import type { Printed } from './wording.ts';

/** Draws what the printer sends, in a thread of its own. An error ends the thread. */
const port = parentPort as MessagePort;
port.on('message', async ({ item, paper }: Printout) => {
  const pdf = new Uint8Array(await draw(JSON.parse(item) as Printed, paper));
  port.postMessage(pdf, [pdf.buffer]);
});
