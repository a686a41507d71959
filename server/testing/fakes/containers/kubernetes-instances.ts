import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { FakeOdoo } from '../fake-odoo/fake.ts';
import { odooContainer } from './odoo-container.ts';

/**
 * A fake of the API of Kubernetes, for ERP instances: it keeps Pods, and for an Odoo image it
 * runs the fake Odoo; a database runs nowhere. In a cluster each Pod has an address of its
 * own; here they share one, and each is at a port of its own, which a real Pod never says.
 */
interface FakeKubernetesInstances {
  url: string;
  tokenFile: string;
  /** The Pods that were made. */
  made: Json[];
  mode: 'works' | 'fails';
  /** What new Pods come to: they run, or their image cannot be pulled. */
  pulls: boolean;
  /** Ends the database of all Pods, as the kernel does when it uses too much memory. */
  endDatabases(): void;
  /** Where the Odoo of a Pod is. */
  addressOf(name: string): string | undefined;
  close(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: objects of the API.
type Json = any;

export async function fakeKubernetesInstances(directory: string): Promise<FakeKubernetesInstances> {
  const pods = new Map<string, { object: Json; odoo?: FakeOdoo }>();

  async function run(object: Json): Promise<void> {
    const kept: { object: Json; odoo?: FakeOdoo } = { object };
    pods.set(object.metadata.name, kept);
    object.status = { phase: 'Pending' };
    if (!fake.pulls) {
      const waiting = { reason: 'ErrImagePull', message: 'no such image' };
      object.status.containerStatuses = [{ ready: false, state: { waiting } }];
      return;
    }
    const { image, env } = object.spec.containers[0];
    const values = Object.fromEntries(env.map(({ name, value }: Json) => [name, value]));
    kept.odoo = await odooContainer(image, values);
    object.status = {
      phase: 'Running',
      podIP: '127.0.0.1',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: object.spec.containers.map(({ name }: Json) => ({
        name,
        ready: true,
        state: { running: {} },
      })),
    };
  }

  async function answer(method: string, path: string, body: Json): Promise<[number, Json]> {
    const [, , , , , kind = '', name = ''] = path.split('/');
    const failure = (code: number, message: string): [number, Json] => [code, { message }];
    if (kind !== 'pods') return failure(404, 'not found');
    if (method === 'POST') {
      if (pods.has(body.metadata.name)) return failure(409, 'it exists');
      fake.made.push(structuredClone(body));
      void run(body);
      return [201, body];
    }
    if (name === '') return [200, { items: [...pods.values()].map(({ object }) => object) }];
    const kept = pods.get(name);
    if (kept === undefined) return failure(404, `pods "${name}" not found`);
    if (method === 'DELETE') {
      kept.object.metadata.deletionTimestamp = new Date().toISOString();
      void (async () => {
        await kept.odoo?.close();
        pods.delete(name);
      })();
    }
    return [200, kept.object];
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await text(request);
    const { pathname } = new URL(request.url ?? '', 'http://kubernetes');
    const [code, content] =
      fake.mode === 'fails'
        ? [503, { message: 'the API server is starting' }]
        : await answer(request.method ?? '', pathname, sent === '' ? undefined : JSON.parse(sent));
    response.writeHead(code, { 'content-type': 'application/json' });
    response.end(JSON.stringify(content));
  }

  const server = createServer((request, response) => void handle(request, response));
  const tokenFile = join(directory, 'token');
  await writeFile(tokenFile, 'token-of-the-worker\n');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake: FakeKubernetesInstances = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tokenFile,
    made: [],
    mode: 'works',
    pulls: true,
    endDatabases() {
      for (const { object } of pods.values()) {
        const [, database] = object.status.containerStatuses;
        Object.assign(database, { ready: false, state: { terminated: { reason: 'OOMKilled' } } });
        object.status.conditions = [{ type: 'Ready', status: 'False' }];
      }
    },
    addressOf: (name) => pods.get(name)?.odoo?.url,
    async close() {
      await Promise.all([...pods.values()].map(({ odoo }) => odoo?.close()));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}
