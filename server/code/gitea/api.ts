import {
  type Outgoing,
  type OutgoingAnswer,
  OutgoingError,
} from '../../platform/outgoing/outgoing.ts';
import { HostError } from '../hosts/host-error.ts';

/** A server of Gitea or Forgejo, and the token that it is asked with. */
export interface GiteaServer {
  /** Without a slash at the end. */
  url: string;
  token: string;
}

export interface GiteaCall {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/api/v1`. */
  path: string;
  query?: Readonly<Record<string, string | number>>;
  body?: object;
  signal?: AbortSignal | undefined;
}

/** Asks Gitea one thing. Throws a HostError. */
export type AskGitea = (server: GiteaServer, call: GiteaCall) => Promise<GiteaAnswer>;

interface GiteaAnswer {
  /** Undefined if it has no body. */
  data: unknown;
  /** How many there are of what it lists, if it says so. */
  total: number | undefined;
  /** When it was given, in milliseconds by the clock of the server, if it says so. */
  at: number | undefined;
}

/** The longest answer is a list of fifty branches with their commits. */
const LONGEST = 4 * 1024 * 1024;
const WITHIN_MS = 10_000;

/** A part of a path: Gitea takes a slash within it only as `%2F`. */
export const part = (text: string): string => encodeURIComponent(text);

/** `owner/name` as two parts of a path. */
export const named = (fullName: string): string => fullName.split('/').map(part).join('/');

export const giteaApi =
  (outgoing: Outgoing): AskGitea =>
  async ({ url, token }, { method = 'GET', path, query = {}, body, signal }) => {
    const address = new URL(`${url}/api/v1${path}`);
    for (const [name, value] of Object.entries(query))
      address.searchParams.set(name, String(value));
    const answer = await outgoing
      .send({
        url: address.href,
        method,
        headers: {
          accept: 'application/json',
          authorization: `token ${token}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
        maxBytes: LONGEST,
        timeout: WITHIN_MS,
        carriesSecret: true,
      })
      .catch((error) => {
        if (!(error instanceof OutgoingError)) throw error;
        // Waiting does not help, but a person does.
        const code = error.code === 'blocked_address' ? 'gitea_refused' : 'gitea_unavailable';
        throw new HostError(code, { said: error.message });
      });
    if (answer.status < 200 || answer.status >= 300) throw refusalOf(answer);
    const total = Number.parseInt(answer.headers['x-total-count'] ?? '', 10);
    const at = Date.parse(answer.headers.date ?? '');
    return {
      data: jsonOf(answer),
      total: Number.isNaN(total) ? undefined : total,
      at: Number.isNaN(at) ? undefined : at,
    };
  };

function jsonOf({ body }: OutgoingAnswer): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(body.toString());
  } catch {
    throw new HostError('gitea_unavailable', { said: 'the answer is no JSON' });
  }
}

function refusalOf({ status, headers, body }: OutgoingAnswer): HostError {
  const facts = { status, said: messageOf(body) };
  if (status === 401) return new HostError('gitea_token_refused', facts);
  if (status === 403) return new HostError('gitea_permission_missing', facts);
  if (status === 429) {
    const seconds = Number(headers['retry-after'] ?? Number.NaN);
    const wait = seconds >= 1 && seconds <= 3_600 ? seconds : 60;
    return new HostError('gitea_rate_limited', {
      ...facts,
      until: new Date(Date.now() + wait * 1_000),
    });
  }
  if (status >= 500) return new HostError('gitea_unavailable', facts);
  return new HostError('gitea_refused', facts);
}

function messageOf(body: Buffer): string {
  try {
    const { message } = JSON.parse(body.toString()) as { message?: unknown };
    return typeof message === 'string' ? message.slice(0, 300).toWellFormed() : '';
  } catch {
    return '';
  }
}

type Fields = Record<string, unknown>;

/** What an answer has where an object is expected. */
export const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};
export const items = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fields) : []);

const odd = (what: string) =>
  new HostError('gitea_unavailable', { said: `no ${what} in the answer` });

export function textOf(value: unknown, what: string): string {
  if (typeof value !== 'string' || value === '') throw odd(what);
  return value;
}

export function idOf(value: unknown, what: string): number {
  if (!Number.isSafeInteger(value) || Number(value) <= 0) throw odd(what);
  return Number(value);
}

export function commitOf(value: unknown, what: string): string {
  if (typeof value !== 'string' || !/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(value)) throw odd(what);
  return value;
}
