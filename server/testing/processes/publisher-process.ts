import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '../../db/database/database.ts';
import { publishIdle } from '../../runner/worker/publish-changes.ts';
import { openEventLog } from '../../tasks/events/open-event-log.ts';
import { type Order, openSteps } from './stepping.ts';

/**
 * Publishes what happened to the pull requests of tasks, in a process of its own: again and again
 * until it is killed, or once, and kills itself with SIGKILL just before its n-th step. A step is a
 * statement or a call of the event log. It waits for a line on its standard input that says which.
 */

const { DATABASE_URL: url = '' } = process.env;
process.stdout.write('loaded\n');
const [line] = (await once(process.stdin, 'data')) as [Buffer];
// It ends with the test, however that ends.
process.stdin.on('close', () => process.exit());
const order = JSON.parse(String(line)) as Order & { again: boolean };
const { stepping, steppingTx } = openSteps(order);
const db = openDatabase({ url });
const log = openEventLog({ url });
const failed = (error: unknown) => {
  process.stderr.write(`${error}\n`);
  process.exit(1);
};
const options = { owner: randomUUID(), onFailure: failed };
if (order.again)
  for (;;) {
    await publishIdle(db, log, { ...options, begun: 20 });
    await pause(Math.random() * 5);
  }
await publishIdle(steppingTx(db), stepping('events', log), options);
process.kill(process.pid, 'SIGKILL');
