import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { openDatabase } from '../../db/database/database.ts';
import type { Turn } from '../../runner/worker/claim.ts';
import type { TurnWork } from '../../runner/worker/runner.ts';
import { taskWorker } from '../../runner/worker/worker.ts';
import { openEventLog } from '../../tasks/events/open-event-log.ts';

/**
 * A worker in a process of its own, for tests that kill or stop it: its agents say something again
 * and again, or ask and wait, until they are stopped. It prints a line when an agent is stopped.
 */

const CENT = 10_000_000n; // nano-USD

const { DATABASE_URL: url = '', CONCURRENCY = '1' } = process.env;
const events = openEventLog({ url });

async function run(
  { prompt }: Turn,
  { append, ask, charge, signal }: TurnWork,
): Promise<{ text: string }> {
  try {
    if (prompt === 'ask') await ask({ kind: 'question', title: 'Which one?', options: [] });
    for (;;) {
      signal.throwIfAborted();
      await append({ type: 'notice', payload: { text: 'still here' } });
      if (prompt === 'spend') await charge(CENT);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  } finally {
    process.stdout.write('stopped\n');
  }
}

const worker = taskWorker(openDatabase({ url }), {
  owner: `process-${randomUUID()}`,
  runner: { run },
  events,
  storePlan: async () => {},
  planFault: () => undefined,
  log: pino({ level: 'silent' }),
  concurrency: Number(CONCURRENCY),
  times: { poll: 25, beat: 100, lease: 15_000, silence: 10_000, drain: 100, stop: 500 },
});
worker.start();
setInterval(() => {}, 60_000);
process.stdout.write('started\n');
