import {
  type OutgoingAnswer,
  type OutgoingCode,
  OutgoingError,
} from '../../platform/outgoing/outgoing.ts';
import type { Sent } from './protocol.ts';
import { Refusal } from './refusal.ts';
import type { ErpTarget } from './target.ts';

/** Sends a request with the credential to the server of a target, and to no other one. */

const MAX_ANSWER = 16 * 1024 ** 2;

interface Limits {
  signal: AbortSignal;
  timeout: number;
}

/** Throws Refusal when there is no answer, or one that leads elsewhere. */
export async function passOn(
  target: ErpTarget,
  sent: Sent,
  limits: Limits,
): Promise<OutgoingAnswer> {
  const { 'x-odoo-database': database, ...headers } = sent.headers ?? {};
  const first = { ...headers, ...(database !== undefined && { 'x-odoo-database': database }) };
  const answer = await sendTo(target, { ...sent, headers: first }, limits);
  // On Odoo's own hosting the name of the host chooses the database, and the header makes every call
  // a 404. Anywhere else, another database than the one that was named would answer.
  if (answer.status !== 404 || database === undefined || !choosesDatabase(target)) return answer;
  return sendTo(target, { ...sent, headers }, limits);
}

/** Two codes would tell which names the network of this server has. */
const shownCode = (code: OutgoingCode) => (code === 'dns' ? 'blocked_address' : code);

const choosesDatabase = ({ url }: ErpTarget): boolean =>
  new URL(url).hostname.endsWith('.odoo.com');

async function sendTo({ url, send }: ErpTarget, sent: Sent, { signal, timeout }: Limits) {
  try {
    const answer = await send({
      url: url + sent.path,
      method: 'POST',
      headers: sent.headers ?? {},
      body: sent.body,
      signal,
      timeout,
      maxBytes: MAX_ANSWER,
      followRedirects: false,
      carriesSecret: true,
    });
    if (answer.status >= 300 && answer.status < 400)
      throw new Refusal(502, 'The server sends requests on elsewhere, which is not followed.');
    return answer;
  } catch (error) {
    if (signal.aborted) throw new Refusal(503, 'The turn has ended.');
    if (!(error instanceof OutgoingError)) throw error;
    throw new Refusal(
      502,
      error.code === 'too_large'
        ? 'The answer of the server is larger than 16 MiB: ask for fewer records or fields.'
        : `The server cannot be reached (${shownCode(error.code)}).`,
    );
  }
}
