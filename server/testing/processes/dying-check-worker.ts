import { once } from 'node:events';
import { pino } from 'pino';
import { openDatabase } from '../../db/database/database.ts';
import { openPods } from '../../platform/pods/open-pods.ts';
import { checkWorker } from '../../runner/worker/checks/check-worker.ts';
import { type Order, openSteps } from './stepping.ts';

/**
 * A worker that runs the checks of one suite and kills itself with SIGKILL just before its n-th
 * step, or lists its steps: statements, commits, and calls of the pods. It waits for a line on its
 * standard input that says where it works and when it dies.
 */

const { DATABASE_URL: url = '' } = process.env;
process.stdout.write('loaded\n');
const [line] = (await once(process.stdin, 'data')) as [Buffer];
const order = JSON.parse(String(line)) as Order & { repositories: string };
// It ends with the test, however that ends.
process.stdin.on('close', () => process.exit());
const { stepping, steppingTx } = openSteps(order);
const pods = await openPods({ driver: 'process', directory: order.folder, sandbox: 'off' });
const never = 3_600_000;
checkWorker(steppingTx(openDatabase({ url })), {
  driver: stepping('pods', pods),
  directory: order.repositories,
  log: pino({ level: 'silent' }),
  times: { poll: never, heads: never, renew: never, silence: never, lease: never },
}).start();
setInterval(() => {}, never);
