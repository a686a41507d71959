import { randomUUID } from 'node:crypto';
import { type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { after } from 'node:test';
import { openErpGateway } from '../erp/gateway/gateway.ts';
import type { ErpCall, ErpTarget } from '../erp/gateway/target.ts';
import { openOutgoing } from '../outgoing/outgoing.ts';
import { type FakeOdoo, type FakeOdooOptions, startFakeOdoo } from './doubles/fake-odoo/server.ts';

/** The gateway of one turn before a stand-in for Odoo. */

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
    ...{ id: randomUUID(), name: 'Shop', kind: 'connection', url: odoo.url, database: 'main' },
    ...{ login: 'admin', secret: odoo.key('admin'), credential: 'api_key', erpVersion: '19.0' },
    ...{ access: 'read', send: outgoing.send, ...target },
  };
  const gateway = await openErpGateway({
    ...{ targets: [own], signal: new AbortController().signal, log: (call) => calls.push(call) },
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
          ...{ socketPath: gateway.socket, path: `/${own.id}${path}`, method },
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
