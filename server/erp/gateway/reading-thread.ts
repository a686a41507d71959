import { serve } from '../../platform/threads/serve.ts';
import { holdsSecret } from '../../telemetry/hide-secrets.ts';
import { decodeAnswer, type Value } from '../odoo/xml-rpc.ts';
import { dictionaryOf } from './json-rpc.ts';
import { permitted } from './permit.ts';
import type { Protocol } from './protocol.ts';
import { protocolOf } from './protocols.ts';
import type { Kind, Outcome, Readings, Work } from './reading.ts';
import { Refusal } from './refusal.ts';
import type { ModelCall } from './touched.ts';

/** Reads what pods and servers send, in a thread of its own. */

const READ: { [K in Kind]: (work: Readings[K]['work']) => Readings[K]['done'] } = {
  request: ({ path, body }) => {
    const { what, ...asked } = of(path).read({ path, body });
    if (typeof what === 'string') return { what, ...asked };
    return { what: { model: what.model, method: what.method }, ...asked };
  },
  permit: ({ path, body, rights, known }) => {
    const call = permitted(of(path).read({ path, body }).what as ModelCall, rights, known);
    return 'needs' in call ? call : { encoded: of(path).encode(call) };
  },
  fields: ({ path, answer: { body, ...answer } }) => {
    const value = of(path).result({ ...answer, body: bytesOf(body) });
    if (value === undefined) throw new Refusal(403, NO_FIELDS);
    return Object.fromEntries(
      Object.entries(dictionaryOf(value)).map(([name, of]) => [name, fieldOf(dictionaryOf(of))]),
    );
  },
  answer: ({ path, answer: { body, ...answer }, asked, secret }) => {
    const shown = of(path).answer({ ...answer, body: bytesOf(body) }, asked, secret);
    if (holdsSecret(shown.body.toString(), secret)) throw new Refusal(502, REPEATED);
    return shown;
  },
  signedIn: ({ body }) => {
    const answered = decodeAnswer(bytesOf(body).toString());
    const uid = 'value' in answered ? answered.value : undefined;
    return typeof uid === 'number' && uid > 0 ? uid : undefined;
  },
};

const REPEATED =
  'The server repeats the secret of this connection in its answer, which is not passed on: ask for ' +
  'other fields, or ask for a connection with another secret.';

const NO_FIELDS =
  'The server does not say which fields there are, so what this call reaches is not known: ' +
  'check the name of the model, and ask for its fields with fields_get.';

/** Whoever asks has found the protocol. */
const of = (path: string): Protocol => protocolOf(path) as Protocol;

const fieldOf = ({ relation, type }: Record<string, Value>) => ({
  ...(typeof relation === 'string' && relation !== '' && { relation }),
  ...(typeof type === 'string' && { type }),
});

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

serve((work: Work): Outcome => {
  try {
    return { done: READ[work.kind](work as never) };
  } catch (error) {
    // What is not to be read is nested too deeply, or no XML-RPC.
    const { status, message } =
      error instanceof Refusal ? error : new Refusal(502, 'What was sent cannot be read.');
    return { refused: { status, message } };
  }
});
