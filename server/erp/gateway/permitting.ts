import type { Fields, Schema } from './guarded-call.ts';
import { passOn } from './pass-on.ts';
import type { Protocol, SignedIn } from './protocol.ts';
import type { Read } from './reading.ts';
import { Refusal } from './refusal.ts';
import type { ErpTarget } from './target.ts';

/** Looks whether a call may be made, and asks the server for the fields of the models that it names. */

interface Asked {
  protocol: Protocol;
  path: string;
  body: string;
  target: ErpTarget;
}

/** Models on the paths of one call. */
const MOST_MODELS = 12;
/** Models whose fields are kept; then the server is asked anew. */
const MOST_KEPT = 100;

/** A call as it goes to the server. Rejects with a Refusal. */
type Permit = (asked: Asked, signIn: () => Promise<SignedIn>) => Promise<string>;

export function permitting(read: Read, limits: { signal: AbortSignal; timeout: number }): Permit {
  const kept = new Map<string, Promise<Fields>>();

  async function ask({ protocol, path }: Asked, signedIn: SignedIn, model: string) {
    const call = { model, method: 'fields_get' };
    const named = { attributes: ['relation', 'type'] };
    const encoded = protocol.encode({ ...call, positional: [], named });
    const sent = protocol.request(call, encoded, signedIn);
    const { status, headers, body } = await passOn(signedIn.target, sent, limits);
    return read('fields', { path, answer: { status, headers, body } });
  }

  function fieldsOf(asked: Asked, signedIn: SignedIn, model: string): Promise<Fields> {
    const { id, url, database, login, secret } = asked.target;
    const key = JSON.stringify([id, url, database, login, secret, model]);
    const asking = kept.get(key) ?? ask(asked, signedIn, model);
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(key, asking);
    asking.catch(() => kept.delete(key));
    return asking;
  }

  return async (asked, signIn) => {
    const { path, body, target } = asked;
    const rights = { access: target.access, exceptions: target.exceptions };
    const known: Record<string, Fields> = {};
    for (let models = 0; models <= MOST_MODELS; models += 1) {
      const outcome = await read('permit', { path, body, rights, known: known satisfies Schema });
      if ('encoded' in outcome) return outcome.encoded;
      known[outcome.needs] = await fieldsOf(asked, await signIn(), outcome.needs);
    }
    throw new Refusal(403, 'The fields of this call lead through too many models.');
  };
}
