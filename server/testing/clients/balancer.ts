import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort, versionOf } from '../processes/programs.ts';

/**
 * A load balancer in front of several servers, which sends each request or connection to the next
 * one.
 */
interface Balancer {
  url: string;
  /** What it is, for people. */
  name: string;
  close(): Promise<void>;
}

/** HAProxy if it is installed, otherwise a minimal TCP balancer. */
export async function startBalancer(targets: string[]): Promise<Balancer> {
  const version = await versionOf('haproxy', ['-v']);
  return version === undefined ? byConnection(targets) : haproxy(targets, version);
}

async function haproxy(targets: string[], version: string): Promise<Balancer> {
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-haproxy-'));
  const port = await freePort();
  const config = join(directory, 'haproxy.cfg');
  const servers = targets.map(
    (target, i) => `  server s${i} ${new URL(target).host} check inter 200`,
  );
  await writeFile(
    config,
    `defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
listen guildhall
  bind 127.0.0.1:${port}
  balance roundrobin
  option httpchk GET /readyz
${servers.join('\n')}
`,
  );
  const child = spawn('haproxy', ['-db', '-q', '-f', config], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  for (let i = 0; (await fetch(`${url}/readyz`).catch(() => undefined))?.status !== 200; i++) {
    if (i > 100 || child.exitCode !== null) throw new Error('HAProxy did not start');
    await pause(50);
  }
  return {
    url,
    name: version.replace(/ - http.*/, ''),
    close: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      await rm(directory, { recursive: true });
    },
  };
}

/** Distributes connections in turn; each stays with its server. */
async function byConnection(targets: string[]): Promise<Balancer> {
  const open = new Set<Socket>();
  let turn = 0;
  const server = createServer((client) => {
    const { hostname, port } = new URL(targets[turn++ % targets.length] as string);
    const upstream = connect(Number(port), hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(from.pipe(to));
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    name: 'connections in turn, without HAProxy',
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}
