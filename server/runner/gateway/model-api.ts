import type { IncomingHttpHeaders } from 'node:http';
import type { Usage } from '../agents/agent.ts';
import { fields } from '../agents/read-update.ts';
import type { Fields } from './fields/rules.ts';
import { Refusal } from './refusal.ts';

/** What the gateway knows of one API of providers: which requests it lets through, and how. */

export type Json = Record<string, unknown>;

/** A request that may be sent on. */
export interface Call {
  /** Below the provider's base URL, with the query that is sent on. */
  path: string;
  /** What may be in its body. */
  fields: Fields;
  /** The model that it names. */
  modelOf(body: Json): unknown;
  /** What the gateway adds to a body, of which only what may pass is left. */
  complete(body: Json): Json;
  /** Whether it asks for a stream of events. */
  streams(body: Json): boolean;
  /** Where it says how many tokens its answer may have. */
  output: readonly string[];
  /** The body with so many instead, for the provider at this address. */
  limited(body: Json, tokens: number, baseUrl: string): Json;
  /** Whether it asks the cache to keep its input for an hour. */
  keepsLong?(body: Json): boolean;
  /** Its answer costs nothing. */
  free?: boolean;
  meter(body: Json): Meter;
}

/** Counts what one answer used, from its events or from its whole body, in their order. */
export interface Meter {
  read(event: Json): void;
  /** What the provider has told so far. */
  usage: Usage;
  /** Whether that is all: without it, an answer that ends was cut. */
  complete: boolean;
}

export interface ModelApi {
  /**
   * The call of a POST to `target`, the path with its query as it was sent: nothing is decoded or
   * resolved, so that what was compared is what is meant. Undefined for what is not let through.
   */
  callOf(target: string): Call | undefined;
  /** The answer to a request for the list of models, which is not sent on. */
  listPaths: readonly string[];
  list(model: string): Json;
  /** What a request says of who sends it. */
  credentialOf(headers: IncomingHttpHeaders): string | undefined;
  /** Headers with the provider's key. */
  authorize(key: string): Record<string, string>;
  /** Headers of a request that are sent on, and what of their lists of values. */
  headers: Readonly<Record<string, readonly string[]>>;
  error(status: number, message: string): Json;
}

/** Of what costs nothing. */
export const FREE = {
  free: true,
  streams: () => false,
  meter: () => ({ usage: {}, complete: true, read: () => undefined }),
} satisfies Partial<Call>;

/** A whole number above 0, or undefined where the body has none. Throws Refusal for anything else. */
export function askedOutput(body: Json, { output }: Pick<Call, 'output'>): number | undefined {
  const given = output.flatMap((path) => {
    const value = path.split('.').reduce((of: unknown, name) => fields(of)[name], body);
    if (value === undefined || value === null) return [];
    if (Number.isSafeInteger(value) && (value as number) > 0) return [value as number];
    throw new Refusal(400, `${path}: it must be a whole number above 0.`);
  });
  return given.length === 0 ? undefined : Math.min(...given);
}

/** `Bearer` and what follows it. */
export const bearer = ({ authorization }: IncomingHttpHeaders): string | undefined =>
  /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1];

/** A header that is there once. */
export const header = (headers: IncomingHttpHeaders, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
};

/** A number of tokens; anything else is undefined. */
export const tokens = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= 1e9
    ? (value as number)
    : undefined;
