import {
  type Outgoing,
  type OutgoingAnswer,
  type OutgoingCode,
  OutgoingError,
} from '../../platform/outgoing/outgoing.ts';
import type { ProbeCode } from '../probe.ts';
import { type Forms, readAnswer } from './read-answer.ts';

/** Why a probe ends. Nothing of what the server has said is in it. */
export class Trouble extends Error {
  readonly code: ProbeCode;

  constructor(code: ProbeCode) {
    super(code);
    this.code = code;
  }
}

/** A request to the server that is probed. */
interface Question {
  path: string;
  /** Without one it is a GET. */
  body?: string;
  type?: string;
  headers?: Record<string, string>;
  carriesSecret?: boolean;
}

/** The server that is probed, within a time for all requests together. */
export interface Asking {
  ask(question: Question): Promise<OutgoingAnswer>;
  /** What an answer says; undefined if it is not of this form, or exceeds what is read. */
  read<Form extends keyof Forms>(form: Form, body: Buffer): Promise<Forms[Form] | undefined>;
  /** Milliseconds until the first answer, once there is one. */
  readonly latency: number | undefined;
  /** Whether anything has answered, and whether with TLS. */
  readonly reached: boolean;
  readonly tls: boolean;
  /** Of the server; empty if the address cannot be read. */
  readonly host: string;
}

const TIME = 10_000;

const CODES: Record<OutgoingCode, ProbeCode> = {
  refused: 'refused',
  timeout: 'timeout',
  redirected: 'redirected',
  tls_untrusted: 'tls_untrusted',
  tls_name: 'tls_name',
  tls_expired: 'tls_expired',
  // One answer for all that is not permitted, and for names that are not found: two would tell which
  // names the network of this server has.
  dns: 'blocked_address',
  invalid_url: 'blocked_address',
  blocked_address: 'blocked_address',
  too_large: 'not_odoo',
  broken: 'not_odoo',
};

/** Those that a server answered with. */
const ANSWERS = new Set<OutgoingCode>(['redirected', 'too_large', 'broken']);

/**
 * Asks the server at `url`, of which only the origin counts: people copy the address of a page.
 * Answers of another origin are refused, so that a login never goes to another server. `askedBy`:
 * a person, who waits for what they have asked for before, and for little of others.
 */
export function askingAt(
  { send }: Pick<Outgoing, 'send'>,
  url: string,
  askedBy: string | undefined,
): Asking {
  const address = URL.parse(url);
  // What cannot be read, or holds a login, is for `send` to refuse.
  const refused = address === null || address.username !== '' || address.password !== '';
  const origin = refused ? '' : address.origin;
  const deadline = performance.now() + TIME;
  const parties = askedBy === undefined ? [] : [askedBy];
  let reached = false;
  let latency: number | undefined;

  function timeLeft(): number {
    const left = Math.floor(deadline - performance.now());
    if (left < 1) throw new Trouble('timeout');
    return left;
  }

  async function ask({ path, body, type, headers, carriesSecret }: Question) {
    const timeout = timeLeft();
    const answer = await send({
      url: refused ? url : origin + path,
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...(type !== undefined && { 'content-type': type }), ...headers },
      timeout,
      ...(body !== undefined && { body }),
      ...(carriesSecret && { carriesSecret }),
    }).catch((error: unknown) => {
      if (!(error instanceof OutgoingError)) throw error;
      reached ||= ANSWERS.has(error.code);
      throw new Trouble(CODES[error.code]);
    });
    reached = true;
    latency ??= answer.ms;
    if (new URL(answer.url).origin !== origin) throw new Trouble('redirected');
    if (answer.status === 429) throw new Trouble('rate_limited');
    return answer;
  }

  async function read<Form extends keyof Forms>(form: Form, body: Buffer) {
    const signal = AbortSignal.timeout(timeLeft());
    return readAnswer(form, body, { parties, signal }).catch(() => {
      throw new Trouble('timeout');
    });
  }

  return {
    ask,
    read,
    host: address?.hostname ?? '',
    get reached() {
      return reached;
    },
    get tls() {
      return reached && address?.protocol === 'https:';
    },
    get latency() {
      return latency;
    },
  };
}
