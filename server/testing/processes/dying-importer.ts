import childProcess from 'node:child_process';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { pino } from 'pino';
import type { Request } from '../../platform/launcher/launcher.ts';
import { type Order, openSteps } from './stepping.ts';

/**
 * A worker that carries out one import and kills itself with SIGKILL just before its n-th step, or
 * lists its steps: statements, and each git that it runs. It waits for a line on its standard input
 * that says where it works and when it dies.
 */

const { DATABASE_URL: url = '' } = process.env;
let step: ReturnType<typeof openSteps>['step'] = () => {};
const { fork, spawn } = childProcess;
Object.assign(childProcess, {
  // The small process that starts most of them.
  fork: (...args: Parameters<typeof fork>) => {
    const small = fork(...args);
    const send = small.send.bind(small) as (...sent: unknown[]) => boolean;
    small.send = (request: Request, ...more: unknown[]) => {
      if (request.program !== undefined) step(`git ${request.program.args[0]}`, true);
      return send(request, ...more);
    };
    return small;
  },
  spawn: (...args: Parameters<typeof spawn>) => {
    step(`git ${(args[1] as string[])[3]}`, true);
    return spawn(...args);
  },
});
syncBuiltinESMExports();
// Only now, so that they get the functions above.
const { openDatabase } = await import('../../db/database/database.ts');
const { importer } = await import('../../runner/worker/imports/importer.ts');

process.stdout.write('loaded\n');
const [line] = (await once(process.stdin, 'data')) as [Buffer];
const order = JSON.parse(String(line)) as Order & { repositories: string };
// It ends with the test, however that ends.
process.stdin.on('close', () => process.exit());
const steps = openSteps(order);
step = steps.step;
const never = 3_600_000;
importer(steps.steppingTx(openDatabase({ url })), {
  directory: order.repositories,
  sealing: undefined,
  bounds: {
    allowedNetworks: ['127.0.0.1'],
    allowHttp: true,
    maxBytes: 10_000_000,
    dnsServers: ['127.0.0.1:9'],
  },
  log: pino({ level: 'silent' }),
  times: { poll: never, renew: never, lease: never },
}).start();
setInterval(() => {}, never);
