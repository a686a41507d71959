import { randomUUID } from 'node:crypto';
import { chmod, chown, mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { WebSocketServer } from 'ws';
import { type Container, startContainer } from './container.ts';
import {
  EXEC_RULES,
  type ExecCounts,
  type ExecRules,
  exec,
  execInNothing,
} from './kubernetes-exec.ts';

/**
 * A fake of the API of Kubernetes: it keeps Pods and claims, and really runs their processes
 * (container.ts). Paths, objects, statuses and the messages of exec are those of the published API
 * as far as pods use it, and were compared with a real cluster. It schedules nothing, and enforces no
 * limit and no policy.
 */
interface FakeKubernetes {
  url: string;
  tokenFile: string;
  /** The Pods that were made. */
  made: Json[];
  /** What happens to requests: they are answered, refused with 503, or never answered. */
  mode: 'works' | 'fails' | 'silent';
  /** Whether images can be pulled. The kubelet tries again. */
  pulls: boolean;
  /** Pods and claims for which the quota of the namespace has room. */
  quota: { pods?: number; persistentvolumeclaims?: number };
  /** What exec is answered instead of being carried out. */
  refusesExec: { code: number; text: string } | undefined;
  rules: ExecRules;
  counts: ExecCounts;
  /** Requests by method and kind, such as `POST pods`. */
  asked: string[];
  /** Ends the processes of all Pods, as a node does that runs short, or for their own use. */
  evict(message?: string): Promise<void>;
  /** Deletes all Pods, as a drain does, and leaves them ending until `ended` is called. */
  drain(): Promise<{ ended(): void }>;
  /** Ends one container of all Pods, as the kernel does when it uses too much memory. */
  kill(container: string, reason?: string): Promise<void>;
  /** The node does not answer any more: its Pods never end. */
  loseNode(): void;
  close(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: an object of the API.
type Json = any;

interface Running {
  object: Json;
  containers: Map<string, Container>;
  /** What the kubelet has seen and not told yet: after so many more looks at the Pod. */
  news?: { looks: number; tell(): void };
}

const TOKEN = 'token-of-the-worker';
/** Another user than that of pods, as whom a kubelet makes the folders of a volume. */
const KUBELET = 54_321;
const MEMORY_LOW = 'The node was low on resource: memory.';

const status = (code: number, message: string, reason = 'Failure') => ({
  apiVersion: 'v1',
  kind: 'Status',
  status: 'Failure',
  code,
  reason,
  message,
});

/** `directory`: where the volumes and the token are. */
export async function fakeKubernetes(directory: string): Promise<FakeKubernetes> {
  const claims = new Map<string, Json>();
  const pods = new Map<string, Running>();
  let lost = false;

  const folderOf = async (claim: string, subPath: string) => {
    const folder = join(directory, 'volumes', claim, subPath);
    if ((await mkdir(folder, { recursive: true })) === undefined) return folder;
    // Its group may write: fsGroup.
    await chown(folder, KUBELET, process.getgid?.() ?? 0).catch(() => undefined);
    await chmod(folder, 0o2775);
    return folder;
  };

  async function startPod(running: Running): Promise<void> {
    const { object } = running;
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
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: containers.map(({ name }: Json) => ({
        name,
        ready: true,
        state: { running: {} },
      })),
    };
  }

  /** The kubelet pulls the images, now or later. */
  function begin(running: Running): void {
    const { object } = running;
    if (fake.pulls) {
      object.status = { phase: 'Pending' };
      void startPod(running);
      return;
    }
    const message =
      'Back-off pulling image "registry.internal/agent:1": ErrImagePull: no such image';
    object.status = {
      phase: 'Pending',
      containerStatuses: object.spec.containers.map(({ name }: Json) => ({
        name,
        ready: false,
        state: { waiting: { reason: 'ImagePullBackOff', message } },
      })),
    };
  }

  async function endPod(name: string): Promise<void> {
    const running = pods.get(name);
    await Promise.all([...(running?.containers.values() ?? [])].map((one) => one.stop()));
    if (pods.get(name) === running) pods.delete(name);
  }

  function look(running: Running): Json {
    const { news, object } = running;
    if (news !== undefined && news.looks-- === 0) news.tell();
    const [first] = object.status.containerStatuses ?? [];
    if (first?.state.waiting && fake.pulls) begin(running);
    return object;
  }

  async function answer(method: string, path: string, body: Json): Promise<[number, Json]> {
    const [, , , , , kind = '', name = ''] = path.split('/');
    const ofPods = kind === 'pods';
    if (!ofPods && kind !== 'persistentvolumeclaims') return [404, status(404, 'not found')];
    fake.asked.push(`${method} ${kind}`);
    if (method === 'POST') {
      const { name: wanted } = body.metadata;
      const all = ofPods ? pods : claims;
      if (all.has(wanted)) return [409, status(409, `${kind} "${wanted}" already exists`)];
      const most = fake.quota[kind as 'pods'];
      if (most !== undefined && all.size >= most) return [403, overQuota(kind, wanted, most)];
      const object = { ...body, metadata: { ...body.metadata, uid: randomUUID() } };
      if (!ofPods) claims.set(wanted, object);
      else {
        fake.made.push(structuredClone(body));
        const running: Running = { object, containers: new Map() };
        pods.set(wanted, running);
        begin(running);
      }
      return [201, object];
    }
    if (name === '') {
      const items = ofPods ? [...pods.values()].map(look) : [...claims.values()];
      return [200, { items }];
    }
    const running = pods.get(name);
    const object = ofPods ? running && look(running) : claims.get(name);
    if (object === undefined) return [404, status(404, `${kind} "${name}" not found`, 'NotFound')];
    if (method !== 'DELETE') return [200, object];
    const { uid = object.metadata.uid } = body?.preconditions ?? {};
    if (uid !== object.metadata.uid)
      return [409, status(409, `the UID in the precondition (${uid}) does not match`)];
    object.metadata.deletionTimestamp = new Date().toISOString();
    if (!ofPods) {
      claims.delete(name);
      await rm(join(directory, 'volumes', name), { recursive: true, force: true });
    } else if (!lost) void endPod(name);
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
      ? [401, status(401, 'Unauthorized', 'Unauthorized')]
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
    const refuse = (code: number, text: string) =>
      socket.end(`HTTP/1.1 ${code} Refused\r\nconnection: close\r\n\r\n${text}`);
    const say = (code: number, message: string, reason?: string) =>
      refuse(code, JSON.stringify(status(code, message, reason)));
    if (!allowed(request)) return say(401, 'Unauthorized', 'Unauthorized');
    const { refusesExec } = fake;
    if (refusesExec !== undefined) return refuse(refusesExec.code, refusesExec.text);
    const pod = pods.get(name);
    if (verb !== 'exec' || pod === undefined)
      return say(404, `pods "${name}" not found`, 'NotFound');
    const wanted = searchParams.get('container') ?? '';
    const container = pod.containers.get(wanted);
    if (container === undefined)
      return say(400, `container ${wanted} is not valid for pod ${name}`, 'BadRequest');
    const command = searchParams.getAll('command');
    sockets.handleUpgrade(request, socket, head, (opened) => {
      if (container.running && !lost) exec(container, command, opened, fake);
      else execInNothing(wanted, opened);
    });
  });
  const tokenFile = join(directory, 'token');
  await writeFile(tokenFile, `${TOKEN}\n`);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  /** What the kubelet has seen is told a moment later: processes have ended by then. */
  const later = (running: Running, tell: () => void) => {
    running.news = {
      looks: 2,
      tell() {
        delete running.news;
        tell();
      },
    };
  };

  const fake: FakeKubernetes = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tokenFile,
    made: [],
    mode: 'works',
    pulls: true,
    quota: {},
    refusesExec: undefined,
    rules: EXEC_RULES,
    counts: { pings: 0, in: 0, out: 0 },
    asked: [],
    async evict(message = MEMORY_LOW) {
      for (const running of pods.values()) {
        later(running, () => {
          running.object.status = { phase: 'Failed', reason: 'Evicted', message };
        });
        await Promise.all([...running.containers.values()].map((one) => one.stop()));
      }
    },
    async drain() {
      const names = [...pods.keys()];
      for (const { object } of pods.values())
        object.metadata.deletionTimestamp = new Date().toISOString();
      for (const { containers } of pods.values())
        await Promise.all([...containers.values()].map((one) => one.stop()));
      return {
        ended() {
          for (const name of names) pods.delete(name);
        },
      };
    },
    async kill(container, reason = 'OOMKilled') {
      for (const running of pods.values()) {
        const { object, containers } = running;
        later(running, () => {
          const terminated = { exitCode: 137, reason };
          const of = object.status.containerStatuses.find(({ name }: Json) => name === container);
          Object.assign(of, { ready: false, state: { terminated } });
          object.status.conditions = [{ type: 'Ready', status: 'False' }];
        });
        await containers.get(container)?.stop();
      }
    },
    loseNode() {
      lost = true;
      for (const { object } of pods.values()) {
        object.spec.nodeName = 'node-1';
        object.status.conditions = [{ type: 'Ready', status: 'False' }];
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

const overQuota = (kind: string, name: string, most: number) =>
  status(
    403,
    `${kind} "${name}" is forbidden: exceeded quota: of-the-namespace, requested: ${kind}=1, ` +
      `used: ${kind}=${most}, limited: ${kind}=${most}`,
    'Forbidden',
  );
