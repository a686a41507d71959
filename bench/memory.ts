import { once } from 'node:events';
import { load } from './load.ts';
import { mix, type Operation, operations } from './operations.ts';
import { residentMb } from './processes.ts';
import { freePort, startGuildhall } from './servers.ts';
import type { Setting } from './setting.ts';
import { ONCE, prepare } from './world.ts';

const STOPS = [0, 100_000, 500_000, 1_000_000];

/**
 * Resident memory, and the heap after a collection, over a million requests of two reads and of
 * repeated approvals.
 */
export async function memory({ adminUrl, directory, say }: Setting): Promise<void> {
  const { url, known } = await prepare(adminUrl, directory, ONCE, say);
  const inspector = await freePort();
  const server = await startGuildhall(url, {
    METRICS_PORT: '0',
    NODE_OPTIONS: `--inspect=127.0.0.1:${inspector}`,
  });
  const chosen = operations(known).filter(({ name }) => ['P', 'I', 'A'].includes(name));
  const lines = ['| requests | resident MB | heap MB, collected |', '|---:|---:|---:|'];
  try {
    let sent = 0;
    for (const stop of STOPS) {
      while (sent < stop) {
        const operation = chosen[(sent / 10_000) % chosen.length] as Operation;
        const { wrong } = await load({
          url: server.url,
          connections: 32,
          next: mix(operation),
          requests: 10_000,
        });
        if (wrong.length > 0) throw new Error(wrong.join('\n'));
        sent += 10_000;
        say(`${sent} of ${STOPS.at(-1)} requests, ${residentMb(server.pid).toFixed(0)} MB`);
      }
      const resident = residentMb(server.pid);
      await collect(inspector);
      lines.push(
        `| ${sent} | ${resident.toFixed(0)} | ${(await heapMb(server.metrics)).toFixed(1)} |`,
      );
    }
  } finally {
    await server.stop();
  }
  say('');
  process.stdout.write(`${lines.join('\n')}\n`);
}

async function heapMb(metrics: string | undefined): Promise<number> {
  const text = await (await fetch(metrics as string)).text();
  return Number(/^nodejs_heap_size_used_bytes (\d+)/m.exec(text)?.[1]) / 1024 / 1024;
}

/** A full collection, so that only live objects remain. */
async function collect(port: number): Promise<void> {
  const listed = await fetch(`http://127.0.0.1:${port}/json/list`);
  const [target] = (await listed.json()) as [{ webSocketDebuggerUrl: string }];
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await once(socket, 'open');
  socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }));
  await once(socket, 'message');
  socket.close();
}
