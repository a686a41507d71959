import type { Asking } from './asking.ts';
import { callJson2, callXmlRpc, isDenied, jsonOf, returned } from './calls.ts';
import type { Value } from './xml-rpc.ts';

/** What a call of a model's method came to; `denied` if this login may not. */
export type Outcome = { value: Value } | { denied: boolean };

/** A login that was accepted, over whichever protocol the server has. */
export interface Session {
  uid: number;
  database: string | undefined;
  /** `args`: by name, which both protocols take; `ids` where the method is one of records. */
  call(model: string, method: string, args: Record<string, Value>): Promise<Outcome>;
}

export const json2Session = (
  asking: Asking,
  uid: number,
  login: { database: string | undefined; secret: string },
): Session => ({
  uid,
  database: login.database,
  call: async (model, method, args) => {
    const answer = await callJson2(asking, login, model, method, args);
    const value = answer.status === 200 ? await jsonOf(asking, answer) : undefined;
    return value === undefined ? { denied: [401, 403].includes(answer.status) } : { value };
  },
});

export const xmlRpcSession = (
  asking: Asking,
  uid: number,
  { database, secret }: { database: string; secret: string },
): Session => ({
  uid,
  database,
  call: async (model, method, { ids, ...args }) => {
    const answered = await callXmlRpc(
      asking,
      'object',
      'execute_kw',
      [database, uid, secret, model, method, ids === undefined ? [] : [ids], args],
      { carriesSecret: true },
    );
    const value = returned(answered);
    return value === undefined ? { denied: isDenied(answered) } : { value };
  },
});
