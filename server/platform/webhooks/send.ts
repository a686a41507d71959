import type { Outgoing, OutgoingAnswer } from '../outgoing/outgoing.ts';
import { OutgoingError } from '../outgoing/outgoing.ts';
import { CannotOpen, type Sealing } from '../sealing/sealing.ts';
import { chatLine } from './chat-line.ts';
import type { Due, Outcome } from './queue.ts';
import { type EndpointSecrets, openEndpoint } from './sealed-endpoints.ts';
import { signedHeaders } from './signature.ts';

/** Milliseconds that an attempt may take. */
const SEND_WITHIN_MS = 15_000;
/** One that took longer than this waits among the slow ones from then on. */
export const SLOW_MS = 1_000;
const ANSWER_BYTES = 4_096;
const ANSWER_CHARACTERS = 1_000;

export interface SendNeeds {
  outgoing: Outgoing;
  sealing: Sealing;
  publicUrl: string;
  signal?: AbortSignal;
  within?: number;
}

/** One attempt of a delivery. Rejects only when the signal aborts. */
export async function send(due: Due, needs: SendNeeds): Promise<Outcome> {
  const started = performance.now();
  const outcome = await attempt(due, needs);
  const ms = Math.round(performance.now() - started);
  return { ...outcome, ms, slow: ms >= SLOW_MS };
}

async function attempt(
  due: Due,
  { outgoing, sealing, publicUrl, signal, within = SEND_WITHIN_MS }: SendNeeds,
): Promise<Omit<Outcome, 'ms' | 'slow'>> {
  try {
    const secrets = openEndpoint(sealing, { ...due, id: due.endpoint_id });
    const { body, headers } = messageOf(due, secrets, publicUrl);
    const answer = await outgoing.send({
      url: secrets.url,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      followRedirects: false,
      maxBytes: ANSWER_BYTES,
      keepFirst: true,
      timeout: within,
      ...(signal === undefined ? {} : { signal }),
    });
    return outcomeOf(answer);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof OutgoingError || error instanceof CannotOpen)
      return { result: 'failed', error: error.message.slice(0, 500) };
    throw error;
  }
}

function outcomeOf({ status, body }: OutgoingAnswer): Omit<Outcome, 'ms' | 'slow'> {
  const known = { status, answer: readable(body) };
  if (status >= 200 && status < 300) return { result: 'delivered', ...known };
  if (status === 410) return { result: 'gone', ...known };
  return {
    result: 'failed',
    ...known,
    ...(status >= 300 && status < 400
      ? { error: 'The endpoint leads elsewhere, which is not followed: enter that address.' }
      : {}),
  };
}

/** The body of a request and what it says of itself. */
function messageOf(
  { kind, id, type, body, overlaps }: Due,
  { secret, previous }: EndpointSecrets,
  publicUrl: string,
): { body: string; headers: Record<string, string> } {
  if (kind === 'slack' || kind === 'discord')
    return { body: chatLine(kind, { type, body }, publicUrl), headers: {} };
  const secrets = [secret, ...(overlaps ? [previous] : [])].filter((one) => one !== undefined);
  const seconds = Math.floor(Date.now() / 1_000);
  return { body, headers: signedHeaders(secrets, { id, seconds, body }) };
}

/** As a table and a page can hold it: text without control characters. */
const readable = (bytes: Buffer): string =>
  bytes
    .toString()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is replaced.
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffd]/g, '·')
    .slice(0, ANSWER_CHARACTERS)
    // Half a pair would not be text.
    .toWellFormed();
