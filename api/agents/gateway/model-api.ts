import type { IncomingHttpHeaders } from 'node:http';
import type { Usage } from '../agent.ts';

/** What the gateway knows of one API of providers: which requests it lets through, and how. */

export type Json = Record<string, unknown>;

/** A request that may be sent on. */
export interface Call {
  /** Below the provider's base URL, with the query that is sent on. */
  path: string;
  /** The model that it names. */
  modelOf(body: Json): unknown;
  /** The body to send, without what would cost or reach more than a model does. */
  prepare(body: Json): Json;
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
  /** `query` begins with `?`, or is empty. Undefined for what is not let through. */
  callOf(method: string, path: string, query: string): Call | undefined;
  /** The answer to a request for the list of models, which is not sent on. */
  listPaths: readonly string[];
  list(model: string): Json;
  /** What a request says of who sends it. */
  credentialOf(headers: IncomingHttpHeaders): string | undefined;
  /** Headers with the provider's key. */
  authorize(key: string): Record<string, string>;
  /** Headers of a request that are sent on. */
  passes: readonly string[];
  error(status: number, message: string): Json;
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
