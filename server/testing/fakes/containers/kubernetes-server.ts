import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Container, startContainer } from './container.ts';

/**
 * A fake of the API of Kubernetes: it keeps Pods and claims, and really runs their processes
 * (container.ts). Paths, objects, statuses and the messages of exec are those of the published API
 * as far as pods use it. It schedules nothing, and enforces no limit and no policy.
 */
interface FakeKubernetes {
  url: string;
  tokenFile: string;
  /** The Pods that were made. */
  made: Json[];
  /** What happens to requests: they are answered, refused with 503, or never answered. */
  mode: 'works' | 'fails' | 'silent';
  /** What new Pods come to: they run, or their image cannot be pulled. */
  pulls: boolean;
  /** Ends the processes of all Pods, as an eviction does. */
  evict(): Promise<void>;
  close(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: an object of the API.
type Json = any;

interface Running {
  object: Json;
  containers: Map<string, Container>;
}

const TOKEN = 'token-of-the-worker';
const status = (code: number, message: string) => ({
  apiVersion: 'v1',
  kind: 'Status',
  status: 'Failure',
  code,
  message,
});

/** `directory`: where the volumes and the token are. */
export async function fakeKubernetes(directory: string): Promise<FakeKubernetes> {
  const claims = new Map<string, Json>();
  const pods = new Map<string, Running>();

  const folderOf = async (claim: string, subPath: string) => {
    const folder = join(directory, 'volumes', claim, subPath);
    await mkdir(folder, { recursive: true });
    return folder;
  };

  async function startPod(object: Json): Promise<void> {
    const running: Running = { object, containers: new Map() };
    object.status = { phase: 'Pending' };
    pods.set(object.metadata.name, running);
    if (!fake.pulls) {
      const waiting = { reason: 'ErrImagePull', message: 'no such image' };
      object.status.containerStatuses = [{ ready: false, state: { waiting } }];
      return;
    }
    const { volumes, containers } = object.spec;
    const claim = volumes.find((volume: Json) => volume.persistentVolumeClaim);
    for (const { name, command, volumeMounts } of containers) {
      const ofClaim = volumeMounts.filter((mount: Json) => mount.name === claim.name);
      const mounts = ofClaim.map(async ({ subPath, mountPath, readOnly = false }: Json) => ({
        source: await folderOf(claim.persistentVolumeClaim.claimName, subPath),
        target: mountPath,
        readOnly,
      }));
      const inMemory = volumeMounts.filter((mount: Json) => mount.name !== claim.name);
      const targets = inMemory.map(({ mountPath }: Json) => mountPath);
      running.containers.set(
        name,
        await startContainer(await Promise.all(mounts), targets, command),
      );
    }
    object.status = {
      phase: 'Running',
      containerStatuses: containers.map(({ name }: Json) => ({ name, ready: true })),
    };
  }

  async function endPod(name: string): Promise<void> {
    const running = pods.get(name);
    await Promise.all([...(running?.containers.values() ?? [])].map((one) => one.stop()));
    pods.delete(name);
  }

  async function answer(method: string, path: string, body: Json): Promise<[number, Json]> {
    const [, , , , , kind = '', name = ''] = path.split('/');
    const ofPods = kind === 'pods';
    if (!ofPods && kind !== 'persistentvolumeclaims') return [404, status(404, 'not found')];
    const find = (one: string): Json => (ofPods ? pods.get(one)?.object : claims.get(one));
    if (method === 'POST') {
      const { name: wanted } = body.metadata;
      if (find(wanted) !== undefined)
        return [409, status(409, `${kind} "${wanted}" already exists`)];
      if (!ofPods) claims.set(wanted, body);
      else {
        fake.made.push(structuredClone(body));
        void startPod(body);
      }
      return [201, body];
    }
    if (name === '') {
      const items = ofPods ? [...pods.values()].map(({ object }) => object) : [...claims.values()];
      return [200, { items }];
    }
    const object = find(name);
    if (object === undefined) return [404, status(404, `${kind} "${name}" not found`)];
    if (method !== 'DELETE') return [200, object];
    object.metadata.deletionTimestamp = new Date().toISOString();
    if (ofPods) void endPod(name);
    else {
      claims.delete(name);
      await rm(join(directory, 'volumes', name), { recursive: true, force: true });
    }
    return [200, object];
  }

  const allowed = ({ headers }: IncomingMessage) => headers.authorization === `Bearer ${TOKEN}`;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (fake.mode === 'silent') return;
    let text = '';
    for await (const chunk of request) text += chunk;
    const { pathname } = new URL(request.url ?? '', 'http://kubernetes');
    const body = text === '' ? undefined : JSON.parse(text);
    const [code, content] = !allowed(request)
      ? [401, status(401, 'Unauthorized')]
      : fake.mode === 'fails'
        ? [503, status(503, 'the API server is starting')]
        : await answer(request.method ?? '', pathname, body);
    response.writeHead(code, { 'content-type': 'application/json' });
    response.end(JSON.stringify(content));
  }

  const server = createServer((request, response) => void handle(request, response));
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => [...offered].find((one) => /^v[45]\.channel/.test(one)) ?? false,
  });
  server.on('upgrade', (request, socket, head) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://kubernetes');
    const [, , , , , , name = '', verb] = pathname.split('/');
    const container = pods.get(name)?.containers.get(searchParams.get('container') ?? '');
    if (verb !== 'exec' || container === undefined || !allowed(request))
      return socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n');
    sockets.handleUpgrade(request, socket, head, (opened) =>
      run(container, searchParams.getAll('command'), opened),
    );
  });
  const tokenFile = join(directory, 'token');
  await writeFile(tokenFile, `${TOKEN}\n`);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const fake: FakeKubernetes = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tokenFile,
    made: [],
    mode: 'works',
    pulls: true,
    async evict() {
      for (const { object, containers } of pods.values()) {
        await Promise.all([...containers.values()].map((one) => one.stop()));
        object.status = { phase: 'Failed', message: 'The node was low on resource: memory.' };
      }
    },
    async close() {
      await Promise.all([...pods.keys()].map(endPod));
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}

/** The first byte of a message: input, output, errors, the status at the end, or a closed one. */
function run(container: Container, command: string[], socket: WebSocket): void {
  const child = container.exec(command);
  const pass = (channel: number) => (content: Buffer) =>
    socket.send(Buffer.concat([Buffer.of(channel), content]));
  child.stdout?.on('data', pass(1));
  child.stderr?.on('data', pass(2));
  child.stdin?.on('error', () => undefined);
  socket.on('message', (message: Buffer) => {
    if (message[0] === 0) child.stdin?.write(message.subarray(1));
    // Of version 5: the client closes the input.
    if (message[0] === 255 && message[1] === 0) child.stdin?.end();
  });
  // A client that goes away closes the input, and ends nothing.
  socket.on('close', () => child.stdin?.end());
  child.on('close', (code) => {
    const causes = [{ reason: 'ExitCode', message: String(code ?? 137) }];
    const failure = { status: 'Failure', reason: 'NonZeroExitCode', details: { causes } };
    pass(3)(Buffer.from(JSON.stringify(code === 0 ? { status: 'Success' } : failure)));
    socket.close(1000);
  });
}
