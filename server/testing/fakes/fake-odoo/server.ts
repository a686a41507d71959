import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { Certificate } from '../mail-server/certificates.ts';
import { type Answer, headersOf, page } from './answers.ts';
import { control } from './control.ts';
import type { Asked, Behaviour, FakeOdoo } from './fake.ts';
import { openFront } from './front.ts';
import { answer, type Site } from './pages.ts';
import { newDatabase, type Server } from './state.ts';

export interface FakeOdooOptions extends Behaviour {
  /** Default any. */
  port?: number;
  version?: '16.0' | '17.0' | '18.0' | '19.0';
  edition?: Server['edition'];
  /** The first has the users and keys of the fake; default `main`. */
  databases?: readonly string[];
  /**
   * Whether requests are kept, with headers and body, and `/_control/` answers; default true. False
   * where strangers make the requests: memory would grow with each of them.
   */
  watched?: boolean;
  /** If set, the address begins with https. */
  tls?: Certificate;
}

const CONTROL = '/_control/';

/** Starts a server that answers as Odoo does, in what `facts.jsonl` says and a little more. */
export async function startFakeOdoo(options: FakeOdooOptions = {}): Promise<FakeOdoo> {
  const { version = '19.0', edition = 'community', databases = ['main'], tls } = options;
  const { watched = true } = options;
  const server: Server = { version, edition, databases: new Map() };
  for (const name of databases) server.databases.set(name, newDatabase(name, server));
  const [database] = server.databases.values();
  if (database === undefined) throw new Error('A fake Odoo needs a database');
  let behaviour: Behaviour = options;
  const requests: Asked[] = [];
  const front = await openFront(options.port ?? 0, tls, (request, response) => {
    served(request, response).catch((error) => failed(response, error));
  });
  const fake: FakeOdoo = {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${front.port}`,
    port: front.port,
    server,
    database,
    requests,
    password: (login) => named(database.users, 'login', login).password,
    key: (name) => named(database.keys, 'name', name).key,
    behave: (changes) => {
      behaviour = { ...behaviour, ...changes };
    },
    close: front.close,
  };
  return fake;

  async function served(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', fake.url);
    const headers = request.headers as Record<string, string | undefined>;
    const { method = 'GET' } = request;
    const body = await text(request);
    if (watched && url.pathname.startsWith(CONTROL))
      return send(response, control(fake, url.pathname.slice(CONTROL.length), body));
    if (watched) requests.push({ method, path: url.pathname, headers, body });
    if (behaviour.slow) await pause(behaviour.slow);
    const inFront = intercepted(behaviour, url);
    send(response, inFront ?? answer(siteOf(), { method, url, headers, body }));
  }

  function siteOf(): Site {
    const { postgresDown = false, listDatabases = true } = behaviour;
    const { chosenByHost = false, withoutAssets = false } = behaviour;
    return { server, postgresDown, listDatabases, chosenByHost, withoutAssets };
  }

  function send(response: ServerResponse, answered: Answer): void {
    response.writeHead(answered.status, headersOf(server, answered)).end(answered.body);
  }
}

/** The answer of what stands in front of the server. */
function intercepted(
  { redirect, rateLimited, closed = [], instead }: Behaviour,
  { pathname, search }: URL,
): Answer | undefined {
  const type = 'text/html';
  if (redirect !== undefined) {
    const location = redirect.to + pathname + search;
    return page(redirect.status, { type, headers: { location }, failed: true });
  }
  if (rateLimited !== undefined)
    return page(429, { type, headers: { 'retry-after': String(rateLimited) } });
  if (closed.some((path) => pathname.startsWith(path))) return page(403, { type });
  if (instead === undefined) return undefined;
  return page(instead.status, { type, failed: true, ...instead });
}

function named<Each, Name extends keyof Each>(all: Each[], name: Name, value: Each[Name]): Each {
  const found = all.find((each) => each[name] === value);
  if (found === undefined) throw new Error(`The fake has no ${String(name)} ${String(value)}`);
  return found;
}

/** A fault of the fake itself, which must not look like one of Odoo's. */
function failed(response: ServerResponse, error: Error): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  response.writeHead(599, { 'content-type': 'text/plain' }).end(`${error.stack}\n`);
}
