import type { IncomingHttpHeaders } from 'node:http';
import type { Usage } from '../agent.ts';
import type { Fields } from './fields/rules.ts';

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
  meter(): Meter;
}

/** Counts what one answer used, from its events or from its whole body, in their order. */
export interface Meter {
  read(event: Json): void;
  /** What the provider has told so far. */
  usage: Usage;
  /** Whether that is all: without it, an answer that ends was cut. */
  complete: boolean;
  /** Characters that the model has written. */
  written: number;
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

/** The meter of what costs nothing. */
export const free = (): Meter => ({
  usage: {},
  complete: true,
  written: 0,
  read: () => undefined,
});

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

/** Characters of all texts in a value. */
export function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, one) => sum + charactersIn(one), 0);
}

/** What a provider reports may be partial: the rest stays as it was reported before. */
export const merged = (
  known: Usage,
  told: { [Name in keyof Usage]?: Usage[Name] | undefined },
): Usage => ({
  ...known,
  ...(Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined)) as Usage),
});
