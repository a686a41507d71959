import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { FakeOdoo } from '../fake-odoo/fake.ts';
import { versionAnswer } from './docker-version.ts';
import { odooContainer } from './odoo-container.ts';

/**
 * A fake Docker engine, for ERP instances: it keeps the state of containers and networks,
 * and for an Odoo image it runs the fake Odoo; a database runs nowhere. Paths, bodies and
 * statuses are those of the published API, version 1.44, as far as instances use it.
 */
interface FakeDockerInstances {
  /** As in DOCKER_HOST. */
  host: string;
  /** The bodies that containers were made with. */
  made: Body[];
  /** What happens to requests: they are answered, or refused with 500. */
  mode: 'works' | 'fails';
  close(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of the API.
type Body = any;

interface Kept {
  body: Body;
  running: boolean;
  odoo: FakeOdoo | undefined;
}

const PORT = '8069/tcp';

export async function fakeDockerInstances(directory: string): Promise<FakeDockerInstances> {
  const networks = new Map<string, Record<string, string>>();
  const containers = new Map<string, Kept>();

  async function start(kept: Kept): Promise<number> {
    if (kept.running) return 304;
    const { Image, Env } = kept.body;
    const env = Object.fromEntries(
      Env.map((one: string) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]),
    );
    if (Image.startsWith('odoo:')) kept.odoo = await odooContainer(Image, env);
    kept.running = true;
    return 204;
  }

  function inspected(name: string, { body, running, odoo }: Kept) {
    const ports = { [PORT]: [{ HostIp: '127.0.0.1', HostPort: String(odoo?.port) }] };
    return {
      Name: `/${name}`,
      Config: body,
      State: { Running: running, ExitCode: 0 },
      NetworkSettings: { Ports: odoo === undefined ? {} : ports },
    };
  }

  async function answer(method: string, url: URL, body: Body): Promise<[number, unknown?]> {
    const [, , kind = '', name = '', verb] = url.pathname.split('/');
    const called = `${method} ${kind}${verb === undefined ? '' : ` ${verb}`}`;
    if (called === 'POST networks') {
      if (networks.has(body.Name)) return [409, { message: `network ${body.Name} exists` }];
      networks.set(body.Name, body.Labels);
      return [201, { Id: body.Name }];
    }
    if (called === 'GET networks') {
      const { label = [] } = JSON.parse(url.searchParams.get('filters') ?? '{}');
      const fits = (labels: Record<string, string>) =>
        label.every((one: string) => Object.entries(labels).some((each) => each.join('=') === one));
      return [
        200,
        [...networks].flatMap(([Name, Labels]) =>
          fits(Labels) ? [{ Id: Name, Name, Labels }] : [],
        ),
      ];
    }
    if (called === 'DELETE networks') {
      const used = [...containers.values()].some((one) => one.body.HostConfig.NetworkMode === name);
      if (used) return [403, { message: `network ${name} has active endpoints` }];
      return networks.delete(name) ? [204] : [404, { message: `network ${name} not found` }];
    }
    if (called === 'POST containers' && name === 'create') {
      const wanted = url.searchParams.get('name') ?? '';
      if (containers.has(wanted)) return [409, { message: `the name ${wanted} is in use` }];
      if (!/^(odoo|postgres):\d/.test(body.Image)) return [404, { message: 'No such image' }];
      if (!networks.has(body.HostConfig.NetworkMode)) return [404, { message: 'no network' }];
      fake.made.push(body);
      containers.set(wanted, { body, running: false, odoo: undefined });
      return [201, { Id: wanted, Warnings: [] }];
    }
    const kept = containers.get(name);
    if (kept === undefined) return [404, { message: `No such container: ${name}` }];
    if (called === 'GET containers json') return [200, inspected(name, kept)];
    if (called === 'POST containers start') return [await start(kept)];
    if (called === 'DELETE containers') {
      await kept.odoo?.close();
      containers.delete(name);
      return [204];
    }
    return [404, { message: 'page not found' }];
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await text(request);
    const url = new URL(request.url ?? '', 'http://docker');
    const [status, content] =
      fake.mode === 'fails'
        ? ([500, { message: 'something went wrong' }] as const)
        : (versionAnswer(url.pathname, '1.44') ??
          (await answer(request.method ?? '', url, sent === '' ? undefined : JSON.parse(sent))));
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(content === undefined ? undefined : JSON.stringify(content));
  }

  const path = join(directory, 'docker.sock');
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const fake: FakeDockerInstances = {
    host: `unix://${path}`,
    made: [],
    mode: 'works',
    async close() {
      await Promise.all([...containers.values()].map(({ odoo }) => odoo?.close()));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}
