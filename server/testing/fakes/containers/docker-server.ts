import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { type Container, startContainer } from './container.ts';
import { versionAnswer } from './docker-version.ts';

/**
 * A fake Docker engine: it keeps the state of containers and volumes, and really runs
 * their processes (container.ts). Paths, bodies, statuses and the format of the streams are those
 * of the published API, version 1.44, as far as pods use it; limits are accepted, and not enforced.
 */
interface FakeDocker {
  /** As in DOCKER_HOST. */
  host: string;
  /** The bodies that containers were made with. */
  made: Created[];
  /** What happens to requests: they are answered, refused with 500, or never answered. */
  mode: 'works' | 'fails' | 'silent';
  /** The newest version of the API that it has. */
  version: string;
  close(): Promise<void>;
}

interface Created {
  Image: string;
  Entrypoint: string[];
  Labels: Record<string, string>;
  HostConfig: {
    Mounts: { Source: string; Target: string; ReadOnly: boolean }[];
    Tmpfs: Record<string, string>;
  };
}

interface Kept {
  body: Created;
  name: string;
  container: Container | undefined;
}

interface Executed {
  kept: Kept;
  command: string[];
  running: boolean;
  code: number | null;
}

export const IMAGE = 'guildhall-agent:test';

/** `directory`: where its socket and its volumes are. */
export async function fakeDocker(directory: string): Promise<FakeDocker> {
  const volumes = new Map<string, Record<string, string>>();
  const containers = new Map<string, Kept>();
  const executed = new Map<string, Executed>();
  const path = join(directory, 'docker.sock');

  const folderOf = (volume: string) => join(directory, 'volumes', volume);
  const fits = (labels: Record<string, string>, query: URLSearchParams) => {
    const { label = [] } = JSON.parse(query.get('filters') ?? '{}') as { label?: string[] };
    return label.every((one) => {
      const [name = '', value] = one.split('=');
      return labels[name] === value;
    });
  };
  const shownVolume = (Name: string, Labels: Record<string, string>) => ({
    Name,
    Labels,
    Driver: 'local',
    Scope: 'local',
    Options: null,
    Mountpoint: folderOf(Name),
  });

  /** Status and body, by method and path. */
  async function answer(method: string, url: URL, body: unknown): Promise<[number, unknown?]> {
    const [, , kind = '', name = '', verb] = url.pathname.split('/');
    const called = `${method} ${kind}${verb === undefined ? '' : ` ${verb}`}`;
    const kept = containers.get(name);
    if (called === 'POST volumes') {
      const { Name, Labels } = body as { Name: string; Labels: Record<string, string> };
      await mkdir(folderOf(Name), { recursive: true });
      if (!volumes.has(Name)) volumes.set(Name, Labels);
      return [201, shownVolume(Name, Labels)];
    }
    if (called === 'GET volumes' && name === '') {
      const found = [...volumes].filter(([, labels]) => fits(labels, url.searchParams));
      return [200, { Volumes: found.map((one) => shownVolume(...one)), Warnings: null }];
    }
    if (kind === 'volumes') {
      const labels = volumes.get(name);
      if (labels === undefined) return [404, { message: `get ${name}: no such volume` }];
      if (method === 'GET') return [200, shownVolume(name, labels)];
      const users = [...containers.values()].flatMap(
        ({ body: { HostConfig } }) => HostConfig.Mounts,
      );
      if (users.some(({ Source }) => Source === name))
        return [409, { message: `remove ${name}: volume is in use` }];
      volumes.delete(name);
      await rm(folderOf(name), { recursive: true });
      return [204];
    }
    if (called === 'GET containers' && name === 'json') {
      const all = [...containers.values()].filter(({ body: { Labels } }) =>
        fits(Labels, url.searchParams),
      );
      return [
        200,
        all.map(({ body: { Image, Labels }, name: one, container }) => ({
          Id: one,
          Names: [`/${one}`],
          Image,
          Labels,
          Created: 0,
          Status: '',
          Ports: [],
          State: container === undefined ? 'created' : container.running ? 'running' : 'exited',
        })),
      ];
    }
    if (called === 'GET images json')
      return decodeURIComponent(name) === IMAGE
        ? [200, { Id: IMAGE, RepoTags: [IMAGE] }]
        : [404, { message: `No such image: ${name}` }];
    if (called === 'POST containers' && name === 'create') {
      const wanted = url.searchParams.get('name') ?? '';
      const created = body as Created;
      if (containers.has(wanted))
        return [409, { message: `Conflict. The container name "/${wanted}" is already in use` }];
      if (created.Image !== IMAGE) return [404, { message: `No such image: ${created.Image}` }];
      fake.made.push(created);
      containers.set(wanted, { body: created, name: wanted, container: undefined });
      return [201, { Id: wanted, Warnings: [] }];
    }
    if (kind === 'containers' && kept === undefined)
      return [404, { message: `No such container: ${name}` }];
    if (called === 'GET containers json' && kept !== undefined) {
      const running = kept.container?.running === true;
      return [200, { Id: name, Name: `/${name}`, Config: kept.body, State: { Running: running } }];
    }
    if (called === 'POST containers start' && kept !== undefined) {
      if (kept.container?.running === true) return [304];
      const { Mounts, Tmpfs } = kept.body.HostConfig;
      const mounts = Mounts.map(({ Source, Target, ReadOnly }) => ({
        source: folderOf(Source),
        target: Target,
        readOnly: ReadOnly,
      }));
      kept.container = await startContainer(mounts, Object.keys(Tmpfs), kept.body.Entrypoint);
      return [204];
    }
    if (called === 'DELETE containers' && kept !== undefined) {
      await kept.container?.stop();
      containers.delete(name);
      return [204];
    }
    if (called === 'POST containers exec' && kept !== undefined) {
      if (kept.container?.running !== true)
        return [409, { message: `container ${name} is not running` }];
      const id = randomBytes(32).toString('hex');
      const { Cmd } = body as { Cmd: string[] };
      executed.set(id, { kept, command: Cmd, running: true, code: null });
      return [201, { Id: id }];
    }
    if (called === 'GET exec json') {
      const one = executed.get(name);
      if (one === undefined) return [404, { message: `No such exec instance: ${name}` }];
      return [200, { ID: name, Running: one.running, ExitCode: one.code, Pid: 0 }];
    }
    return [404, { message: 'page not found' }];
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (fake.mode === 'silent') return;
    const body = await bodyOf(request);
    const url = new URL(request.url ?? '', 'http://docker');
    const [status, content] =
      fake.mode === 'fails'
        ? ([500, { message: 'something went wrong' }] as const)
        : (versionAnswer(url.pathname, fake.version) ??
          (await answer(request.method ?? '', url, body).catch((error) => {
            return [500, { message: String(error) }] as const;
          })));
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(content === undefined ? undefined : JSON.stringify(content));
  }

  const server = createServer((request, response) => void handle(request, response));
  server.on('upgrade', async (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (fake.mode !== 'works') return fake.mode === 'fails' ? socket.destroy() : undefined;
    const [, , kind, id = '', verb] = (request.url ?? '').split('/');
    const one = executed.get(id);
    if (kind !== 'exec' || verb !== 'start' || one?.kept.container === undefined)
      return socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
    await bodyOf(request);
    if (head.length > 0) socket.unshift(head);
    socket.write(
      'HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.multiplexed-stream\r\n' +
        'Connection: Upgrade\r\nUpgrade: tcp\r\n\r\n',
    );
    connect(one, socket);
  });
  await mkdir(join(directory, 'volumes'), { recursive: true });
  await new Promise<void>((resolve) => server.listen(path, resolve));

  const fake: FakeDocker = {
    host: `unix://${path}`,
    made: [],
    mode: 'works',
    version: '1.44',
    async close() {
      await Promise.all([...containers.values()].map(({ container }) => container?.stop()));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}

/** Runs the process; its output is multiplexed: stream, three zeros, length, content. */
function connect(one: Executed, socket: Socket): void {
  const child = (one.kept.container as Container).exec(one.command);
  const pass = (stream: number) => (content: Buffer) => {
    const header = Buffer.from([stream, 0, 0, 0, 0, 0, 0, 0]);
    header.writeUInt32BE(content.length, 4);
    if (!socket.destroyed) socket.write(Buffer.concat([header, content]));
  };
  child.stdout?.on('data', pass(1));
  child.stderr?.on('data', pass(2));
  child.stdin?.on('error', () => undefined);
  socket.on('error', () => undefined);
  // A client that goes away closes the input, and ends nothing.
  socket.on('data', (chunk) => child.stdin?.write(chunk)).on('close', () => child.stdin?.end());
  socket.on('end', () => child.stdin?.end());
  child.on('close', (code) => {
    one.code = code ?? 137;
    one.running = false;
    socket.end();
  });
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text === '' ? undefined : JSON.parse(text);
}
