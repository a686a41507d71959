import { openEventLog } from '../../tasks/events/open-event-log.ts';

/**
 * A process that appends to tasks until it is killed, and prints what was confirmed: `task n`,
 * where `n` counts its own events. Arguments: its name, the fence, the database, the tasks.
 */
const [name = '', fence = '', url = '', tasks = ''] = process.argv.slice(2);
const log = openEventLog({ url });

async function write(task: string): Promise<void> {
  if ((await log.acquire(task, BigInt(fence), name)) === undefined) return;
  for (let n = 0; ; ) {
    const events = Array.from({ length: 1 + Math.floor(Math.random() * 30) }, () => ({
      type: 'message',
      payload: { writer: name, n: ++n, text: 'x'.repeat(Math.random() * 200) },
    }));
    await log.append(task, BigInt(fence), events);
    process.stdout.write(`${task} ${n}\n`);
  }
}

await Promise.all(tasks.split(',').map(write)).catch(() => process.exit(1));
process.exit(0);
