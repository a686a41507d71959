export interface ClientOptions {
  /** Where the server is, without `/api`. Empty on a page of the server itself. */
  baseUrl: string;
  /** An API key. A page of the server itself uses the session of its cookie instead. */
  key?: string | undefined;
  /** Another `fetch`, such as one that goes through a proxy. */
  fetch?: typeof fetch;
  /** Passed to `fetch`: whether cookies are sent. */
  credentials?: NonNullable<RequestInit['credentials']>;
  /** How often a request is repeated after a passing failure; 2 unless given. */
  retries?: number;
  /** How long each attempt may take, in milliseconds; 30 000 unless given. */
  timeout?: number;
  /** `false` if the server takes no `Idempotency-Key`: writes are then never repeated. */
  idempotencyKeys?: boolean;
}

export interface CallOptions {
  /** Ends the request and its retries: the call rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
  retries?: number;
  timeout?: number;
  /**
   * The key that makes a repeated write one write. Each call makes its own: give one to repeat a
   * write later, or `false` to send none, so that the write is never repeated.
   */
  idempotencyKey?: string | false;
  /**
   * Refuse the change if the object is no longer this version: an `etag`, or the object itself as
   * this client has returned it.
   */
  ifMatch?: string | object;
  /** Set last: they replace those of the client. */
  headers?: Record<string, string>;
}

export const RETRIES = 2;
export const TIMEOUT_MS = 30_000;
