import { encodeCall } from '../odoo/xml-rpc.ts';
import { passOn } from './pass-on.ts';
import type { SignedIn } from './protocol.ts';
import type { Read } from './reading.ts';
import { Refusal } from './refusal.ts';
import type { ErpTarget } from './target.ts';

/**
 * The user id of a target's login, which XML-RPC and JSON-RPC need. The server is asked once for
 * each credential: it takes a quarter of a second there.
 */
export function signingIn(read: Read, limits: { signal: AbortSignal; timeout: number }) {
  const known = new Map<string, Promise<number>>();

  async function ask(target: ErpTarget, database: string, login: string): Promise<number> {
    const answer = await passOn(
      target,
      {
        path: '/xmlrpc/2/common',
        headers: { 'content-type': 'text/xml' },
        body: encodeCall('authenticate', [database, login, target.secret, {}]),
      },
      limits,
    );
    // What is no answer of XML-RPC accepts no login.
    const uid = await read('signedIn', answer).catch(() => undefined);
    if (uid !== undefined) return uid;
    throw new Refusal(502, 'The server does not accept the login of this connection.');
  }

  return async (target: ErpTarget): Promise<SignedIn> => {
    const { database, login, secret } = target;
    if (login === undefined)
      throw new Refusal(403, 'This connection has no login, so it takes JSON-2 only.');
    if (database === undefined)
      throw new Refusal(403, 'This connection names no database, so it takes JSON-2 only.');
    const credential = JSON.stringify([target.id, target.url, database, login, secret]);
    const asking = known.get(credential) ?? ask(target, database, login);
    known.set(credential, asking);
    // One that failed is asked again with the next call.
    asking.catch(() => known.delete(credential));
    return { target, uid: await asking, database };
  };
}
