import type { Static, TObject } from 'typebox';
import type { LimitName } from './rate-limit.ts';
import type { Answer, BodySchema, Input, Route } from './route.ts';

/** What the handler of a public route gets. Nothing is known about who sent the request. */
interface PublicContext<Query, Body> extends Pick<Input<unknown, Query, Body>, 'query' | 'body'> {
  headers: Record<string, string | undefined>;
  /** The path and query as sent. */
  url: string;
  requestId: string;
  /** What the client is counted by: an IPv4 address, or a /64 network of IPv6. */
  readonly network: string;
  /** Takes one from a limit. Errors: 429. */
  take(limit: LimitName, key: string): Promise<void>;
  /** Gives back what was taken for a request that turned out to be good. */
  giveBack(limit: LimitName, key: string): Promise<void>;
}

type ValueOf<Schema> = Schema extends BodySchema ? Static<Schema> : Record<string, never>;

/** What the document and validation need to know of any operation. */
export type Operation = Omit<
  Route,
  'access' | 'replayAccess' | 'handle' | 'limit' | 'credential'
> & {
  access?: { readonly permission?: string | undefined };
  credential?: Route['credential'] | 'none';
};

/**
 * An operation of a browser whose person has not signed in yet. It is refused to the pages of other
 * sites, and its small body is received under a limit of places and time.
 */
export interface PublicRoute<
  Params extends TObject | undefined = TObject | undefined,
  Query extends TObject | undefined = TObject | undefined,
  Body extends BodySchema | undefined = BodySchema | undefined,
> extends Pick<
    Route,
    'path' | 'area' | 'operationId' | 'summary' | 'description' | 'sample' | 'responses' | 'errors'
  > {
  credential: 'none';
  method: 'GET' | 'POST';
  params?: Params;
  query?: Query;
  body?: Body;
  /** What each request takes one from, by the network of its client. */
  limit?: LimitName;
  /** Refuses a request that could not be worked on anyway, before anything of it costs more. */
  admit?(): void;
  handle(
    context: PublicContext<ValueOf<Query>, ValueOf<Body>> & { params: ValueOf<Params> },
  ): Promise<Answer>;
}

/** Declares an operation that needs no credential. */
export function publicRoute<
  Params extends TObject | undefined = undefined,
  Query extends TObject | undefined = undefined,
  Body extends BodySchema | undefined = undefined,
>(definition: Omit<PublicRoute<Params, Query, Body>, 'credential'>): PublicRoute {
  return { ...definition, credential: 'none' } as unknown as PublicRoute;
}
