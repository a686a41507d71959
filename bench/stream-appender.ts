import { type OpenedEventLog, openEventLog } from '../server/tasks/events/open-event-log.ts';

/** Appends one event to each task every `every` milliseconds for `seconds`. */
export async function appendTo(
  log: OpenedEventLog,
  tasks: readonly string[],
  { fence, every, seconds }: { fence: bigint; every: number; seconds: number },
): Promise<void> {
  const until = performance.now() + seconds * 1000;
  await Promise.all(
    tasks.map(async (task) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * every));
      while (performance.now() < until) {
        const payload = { at: Date.now(), text: 'x'.repeat(200) };
        await Promise.all([
          log.append(task, fence, [{ type: 'message', payload }]),
          new Promise((resolve) => setTimeout(resolve, every)),
        ]);
      }
    }),
  );
}

/** A worker on its own, which takes the tasks over. Arguments: the database, the tasks. */
async function main([url = '', list = '']: string[]): Promise<void> {
  const tasks = list.split(',');
  const log = openEventLog({ url });
  await Promise.all(tasks.map((task) => log.acquire(task, 2n, 'another process')));
  process.on('message', async (asked: { every: number; seconds: number }) => {
    await appendTo(log, tasks, { fence: 2n, ...asked });
    process.send?.('done');
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.('ready');
}

if (import.meta.main) await main(process.argv.slice(2));
