import { XmlError } from '../odoo/xml.ts';
import {
  type Answered,
  decodeAnswer,
  decodeCall,
  encodeAnswer,
  encodeCall,
  encodeFault,
  encodeParams,
} from '../odoo/xml-rpc.ts';
import type { Protocol, Shown } from './protocol.ts';
import { Refusal, withoutTraceback } from './refusal.ts';
import { asked, callOf, credentialOf } from './rpc.ts';

const xml = (body: string | Buffer): Shown => ({ status: 200, type: 'text/xml', body });

/** Odoo numbers what it refuses: 3 for who it is, 4 for what it may, 1 for the rest. */
const FAULTS: Record<number, number> = { 401: 3, 403: 4 };

/** XML-RPC, of every version before 20. Its answers are always 200. */
export const xmlRpc: Protocol = {
  needsUser: true,
  read({ path, body }) {
    const [, service = ''] = /^\/xmlrpc\/2\/([a-z]+)$/.exec(path) ?? [];
    try {
      const { method, params } = decodeCall(body);
      return asked(service, method, params);
    } catch (error) {
      if (!(error instanceof XmlError)) throw error;
      throw new Refusal(400, 'The body is no call of XML-RPC.');
    }
  },
  encode: (call) => encodeParams(callOf(call)),
  request: (_call, encoded, signedIn) => ({
    path: '/xmlrpc/2/object',
    headers: { 'content-type': 'text/xml' },
    body: encodeCall('execute_kw', credentialOf(signedIn), encoded),
  }),
  answer({ status, body }, _asked, secret) {
    if (status !== 200) throw new Refusal(502, `The server answered ${status}.`);
    // Only a fault is read: of the rest, nothing would be changed. No server writes comments and the
    // like, between whose parts a text would be joined by who reads it.
    const said = body.toString();
    if (/<!|(?!^)<\?/.test(said)) throw new Refusal(502, UNREADABLE);
    if (!said.includes('<fault')) return xml(body);
    const answered = answerIn(said);
    if (answered === undefined || !('fault' in answered)) throw new Refusal(502, UNREADABLE);
    const { code, text } = answered.fault;
    return xml(encodeFault(numberOr(code), withoutTraceback(text, secret)));
  },
  result({ status, body }) {
    const answered = status === 200 ? answerIn(body.toString()) : undefined;
    return answered !== undefined && 'value' in answered ? answered.value : undefined;
  },
  value: (value) => xml(encodeAnswer(value)),
  refusal: ({ status, message }) => xml(encodeFault(FAULTS[status] ?? 1, message)),
};

const UNREADABLE = 'The server answered what is no XML-RPC.';

const numberOr = (code: unknown): number | string =>
  typeof code === 'number' || typeof code === 'string' ? code : 1;

function answerIn(body: string): Answered | undefined {
  try {
    return decodeAnswer(body);
  } catch {
    return undefined;
  }
}
