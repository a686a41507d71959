import { randomUUID } from 'node:crypto';
import { type IncomingHttpHeaders, request, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { after } from 'node:test';
import { openErpGateway } from '../erp/gateway/gateway.ts';
import type { ErpCall, ErpTarget } from '../erp/gateway/target.ts';
import { encodeAnswer, encodeCall } from '../erp/odoo/xml-rpc.ts';
import { openOutgoing } from '../platform/outgoing/outgoing.ts';
import type { FakeOdoo } from './fakes/fake-odoo/fake.ts';
import { type FakeOdooOptions, startFakeOdoo } from './fakes/fake-odoo/server.ts';
import { startPeer } from './peer.ts';

/** The gateway of one turn before a fake Odoo. */

export interface Sent {
  path: string;
  body?: unknown;
  token?: string | undefined;
  headers?: Record<string, string>;
  method?: string;
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export async function makeErpGateway(
  target: Partial<ErpTarget> = {},
  options: FakeOdooOptions & { deadlines?: { request?: number; answer?: number } } = {},
) {
  const odoo: FakeOdoo = await startFakeOdoo(options);
  const calls: ErpCall[] = [];
  const outgoing = openOutgoing({ allowedNetworks: ['127.0.0.1'], allowHttp: true });
  const own: ErpTarget = {
    id: randomUUID(),
    name: 'Shop',
    kind: 'connection',
    url: odoo.url,
    database: 'main',
    login: 'admin',
    secret: odoo.key('admin'),
    credential: 'api_key',
    erpVersion: '19.0',
    access: 'read',
    send: outgoing.send,
    ...target,
  };
  const gateway = await openErpGateway({
    targets: [own],
    signal: new AbortController().signal,
    log: (call) => calls.push(call),
    ...(options.deadlines && { deadlines: options.deadlines }),
  });
  after(async () => {
    await gateway.close();
    await odoo.close();
  });

  const send = ({ path, body, token = gateway.token, headers = {}, method = 'POST' }: Sent) =>
    new Promise<Answer>((resolve, reject) => {
      const sent = request(
        {
          socketPath: gateway.socket,
          path: `/${own.id}${path}`,
          method,
          headers: { ...(token === '' ? {} : { authorization: `Bearer ${token}` }), ...headers },
        },
        async (answer) => {
          const { statusCode: status = 0, headers } = answer;
          resolve({ status, headers, text: await text(answer).catch(() => '') });
        },
      );
      sent.on('error', reject);
      sent.end(typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body));
    });

  const json2 = (model: string, method: string, body: object = {}, more: Partial<Sent> = {}) =>
    send({ path: `/json/2/${model}/${method}`, body, ...more });

  return { gateway, odoo, target: own, calls, send, json2 };
}

/** An answer of a server; of JSON without a type. */
interface Said {
  status?: number;
  type?: string;
  body: string;
}

/** A gateway before a server that says this, in two pieces that are cut in the middle. */
export async function gatewayBefore(said: () => Said, secret: string) {
  const answer = (response: ServerResponse, { status = 200, type = '', body }: Said) => {
    const bytes = Buffer.from(body);
    response.writeHead(status, { 'content-type': type || 'application/json' });
    response.write(bytes.subarray(0, bytes.length / 2));
    setTimeout(() => response.end(bytes.subarray(bytes.length / 2)), 5);
  };
  const peer = await startPeer((request, response) => {
    request.resume();
    const signsIn = request.url === '/xmlrpc/2/common';
    answer(response, signsIn ? { body: encodeAnswer(2) } : said());
  });
  const looksLikeKey = /^[0-9a-f]{40}$/.test(secret);
  const made = await makeErpGateway({
    url: peer.url,
    secret,
    credential: looksLikeKey ? 'api_key' : 'password',
  });
  const args = ['main', 2, made.gateway.token, 'res.partner', 'search_read', [[]]];
  const body = { method: 'call', params: { service: 'object', method: 'execute_kw', args } };
  return {
    ...made,
    json2: () => made.json2('res.partner', 'search_read', { domain: [] }),
    xmlRpc: () => made.send({ path: '/xmlrpc/2/object', body: encodeCall('execute_kw', args) }),
    jsonRpc: () => made.send({ path: '/jsonrpc', body }),
  };
}
