import { pino } from 'pino';
import { openDatabase } from '../../db/database/database.ts';
import { openPods } from '../../platform/pods/open-pods.ts';
import { deployer } from '../../runner/worker/deploys/deployer.ts';

/** A worker of deploys in a process of its own, for tests that kill or stop it. */

const { DATABASE_URL: url = '', FOLDER: folder = '', REPOSITORIES: directory = '' } = process.env;
const driver = await openPods({ driver: 'process', directory: folder, sandbox: 'off' });
deployer(openDatabase({ url }), {
  driver,
  directory,
  log: pino({ level: 'silent' }),
  times: { poll: 50, again: 50 },
}).start();
setInterval(() => {}, 60_000);
process.stdout.write('started\n');
