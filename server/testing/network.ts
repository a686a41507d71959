import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after } from 'node:test';
import { mayConnect } from '../platform/outgoing/addresses.ts';
import { resolveNames } from '../platform/outgoing/resolve-name.ts';
import { openProxy } from '../runner/network/proxy.ts';
import type { RefusedHost } from '../runner/network/target.ts';
import { startNameServer } from './fakes/name-server.ts';

/** Loopback, which tests let a pod reach. */
export const LOOPBACK = '127.0.0.1/32';

type Addresses = (name: string) => readonly string[] | undefined;

/** A proxy to these hosts, which are found at 127.0.0.1 unless `addresses` says otherwise. */
export async function startProxyTo(
  hosts: readonly string[],
  {
    addresses = () => ['127.0.0.1'],
    ...options
  }: { addresses?: Addresses } & Pick<Partial<Parameters<typeof openProxy>[0]>, 'limits'> = {},
) {
  const dns = await startNameServer(addresses);
  const refused: RefusedHost[] = [];
  const ending = new AbortController();
  const proxy = await openProxy({
    patterns: new Set(hosts),
    resolve: resolveNames([dns.address]),
    mayConnect: mayConnect([LOOPBACK]),
    signal: ending.signal,
    onRefused: (host) => refused.push(host),
    ...options,
  });
  after(() => proxy.close());
  const authorization = (token = proxy.token) =>
    `Proxy-Authorization: Basic ${Buffer.from(`guildhall:${token}`).toString('base64')}\r\n`;
  /** Sends text as it is, and returns all that comes until the connection ends. */
  const raw = async (text: string): Promise<string> => {
    const client = connect(proxy.socket);
    client.write(text);
    return textOf(client);
  };
  /** A request in absolute form; `more` is further lines of its head. */
  const get = (url: string, more = '', token?: string) =>
    raw(
      `GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${authorization(token)}${more}\r\n`,
    );
  /** CONNECT, then a request in the tunnel. */
  const tunnel = (authority: string, token?: string) =>
    raw(
      `CONNECT ${authority} HTTP/1.1\r\nHost: x\r\n${authorization(token)}\r\n` +
        'GET /inner HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
  return { proxy, dns, refused, ending, raw, get, tunnel, authorization };
}

async function textOf(client: Socket): Promise<string> {
  let text = '';
  client.setEncoding('latin1').on('data', (chunk) => {
    text += chunk;
  });
  client.on('error', () => {});
  await once(client, 'close');
  return text;
}
