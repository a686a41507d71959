import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { OperationName } from './operations.ts';
import type { Known } from './world.ts';

/** A server under load, in a separate process. */
export interface Served {
  name: string;
  url: string;
  /** Its metrics, if it was started with a port for them. */
  metrics?: string | undefined;
  pid: number;
  /**
   * The operations it answers, and how to send them: headers, and a path instead of the operation's
   * own.
   */
  operations: readonly OperationName[];
  instead?: { headers: Record<string, string>; path: string };
  stop(): Promise<void>;
}

const ROOT = join(import.meta.dirname, '..');
const PEERS = join(import.meta.dirname, 'peers');

/**
 * The server as a user runs it: keys, permissions, limits, log and headers on; the log is
 * discarded. With `work`, it carries out tasks too, so that an approval starts an agent. `workers`: how
 * many processes answer requests, beside one that starts them.
 */
export async function startGuildhall(
  databaseUrl: string | undefined,
  env: Record<string, string> = {},
  { work = false, workers }: { work?: boolean; workers?: number } = {},
): Promise<Served> {
  const args = ['serve', '--json'];
  if (!work) args.push('--no-work');
  if (workers !== undefined) args.push('--workers', String(workers));
  const child = spawn(process.execPath, [join(ROOT, 'cli/guildhall.ts'), ...args], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
      SERVER_SECRET: 'a secret for the benchmark that is long enough',
      RATE_LIMIT_PER_MINUTE: '1000000000',
      RATE_LIMIT_ADD_FUNDS_PER_MINUTE: '1000000000',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let announced = '';
  for await (const line of createInterface({ input: child.stdout })) {
    announced += line;
    if (line === '}') break;
  }
  if (announced === '')
    throw new Error('Guildhall did not start: npm start with the same settings says why.');
  const { url, metrics } = JSON.parse(announced);
  return { ...served(child, 'Guildhall', url, ['P', 'I', 'T', 'A', 'A*', 'F']), metrics };
}

/**
 * The same statement behind the same framework and nothing else: the difference is the cost of the
 * rest of the server.
 */
export async function startBare(databaseUrl: string, statements: object): Promise<Served> {
  const port = await freePort();
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bare.ts')], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      STATEMENTS: JSON.stringify(statements),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await ready(child);
  return served(child, 'bare', `http://127.0.0.1:${port}`, ['P', 'I']);
}

/** Starts every peer that is installed; `skipped` says how to install each of the others. */
export async function startPeers(
  databaseUrl: string,
  known: Known,
): Promise<{ peers: Served[]; skipped: string[] }> {
  const peers: Served[] = [];
  const skipped: string[] = [];
  for (const folder of readdirSync(PEERS).sort()) {
    const file = join(PEERS, folder, 'peer.json');
    if (!existsSync(file)) continue;
    const peer = JSON.parse(readFileSync(file, 'utf8')) as Peer;
    const cwd = join(PEERS, folder);
    if (existsSync(join(cwd, peer.installed)))
      peers.push(await startPeer(peer, cwd, databaseUrl, known));
    else
      skipped.push(
        `${peer.name} is not installed: cd bench/peers/${folder} && ${peer.install.join(' && ')}`,
      );
  }
  return { peers, skipped };
}

interface Peer {
  name: string;
  operations: OperationName[];
  install: string[];
  installed: string;
  start: string[];
  seed?: string[];
}

async function startPeer(
  peer: Peer,
  cwd: string,
  databaseUrl: string,
  known: Known,
): Promise<Served> {
  const port = await freePort();
  const first = known.workspaces[0] as Known['workspaces'][number];
  const env = {
    PATH: `${join(process.execPath, '..')}:${process.env.PATH}`,
    HOST: '127.0.0.1',
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    NODE_ENV: 'production',
    BENCH_ORGANIZATION_ID: first.id,
    BENCH_USER_ID: first.userId,
  };
  const run = ([command, ...args]: string[]) =>
    spawn(command === 'node' ? process.execPath : (command as string), args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  const seeded =
    peer.seed === undefined ? undefined : JSON.parse(await text(run(peer.seed).stdout));
  const child = run(peer.start);
  await ready(child);
  const server = served(child, peer.name, `http://127.0.0.1:${port}`, peer.operations);
  return seeded === undefined ? server : { ...server, instead: seeded };
}

function served(
  child: ChildProcess,
  name: string,
  url: string,
  operations: readonly OperationName[],
): Served {
  child.stdout?.resume();
  return {
    name,
    url,
    pid: child.pid as number,
    operations,
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function ready(child: ChildProcess): Promise<void> {
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    if (line === 'ready') return;
  }
  throw new Error(`${child.spawnargs.join(' ')} ended before it was ready`);
}

/** A port of this machine that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
