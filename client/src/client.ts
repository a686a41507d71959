import { errorOf, noAnswer } from './answers.ts';
import { type Answer, Call } from './call.ts';
import type { CodeOf, DataOf, Method, OperationAt, PathsWith, Rest } from './operation.ts';
import { type Arguments, addressOf, newIdempotencyKey, payloadOf } from './request.ts';
import { withRetries } from './retry.ts';
import type { paths as PublicPaths } from './schema.d.ts';

export interface ClientOptions {
  /** Where the server is, without `/api`. Empty on a page of the server itself. */
  baseUrl: string;
  /** An API key. On a page of the server itself, the session of its cookie is used without. */
  key?: string;
  /** Another `fetch`, such as one with a proxy. */
  fetch?: typeof fetch;
  /** Passed to `fetch`: whether cookies are sent. */
  credentials?: RequestInit['credentials'];
  /** How often a request is repeated after a passing failure; 2 unless given. */
  retries?: number;
  /** How long each attempt may take, in milliseconds; 30 000 unless given. */
  timeout?: number;
  /** `false` if the server takes no `Idempotency-Key`: writes are then never repeated. */
  idempotencyKeys?: boolean;
}

export interface CallOptions {
  /** Ends the request, and its retries; the call then rejects with the reason of the signal. */
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
  headers?: Record<string, string>;
}

/** The requests of one method, by their paths. */
type Send<Paths, M extends Method> = <P extends PathsWith<Paths, M>>(
  path: P,
  ...rest: Rest<OperationAt<Paths, M, P>, CallOptions>
) => Call<DataOf<OperationAt<Paths, M, P>>, CodeOf<OperationAt<Paths, M, P>>>;

/** `Paths` are those of the API unless others are given, such as those of another document. */
export interface Client<Paths = PublicPaths> {
  get: Send<Paths, 'get'>;
  post: Send<Paths, 'post'>;
  put: Send<Paths, 'put'>;
  delete: Send<Paths, 'delete'>;
}

/** A client of a Guildhall server. It holds no connection and needs no end. */
export function createClient<Paths = PublicPaths>(config: ClientOptions): Client<Paths> {
  const etags = new WeakMap<object, string>();
  const request =
    (method: Method) =>
    (path: string, args: Arguments = {}, options: CallOptions = {}) =>
      new Call(send(config, etags, { method, path, args, options }));
  return {
    get: request('get'),
    post: request('post'),
    put: request('put'),
    delete: request('delete'),
  } as unknown as Client<Paths>;
}

interface Asked {
  method: Method;
  path: string;
  args: Arguments;
  options: CallOptions;
}

async function send(
  config: ClientOptions,
  etags: WeakMap<object, string>,
  { method, path, args, options }: Asked,
): Promise<Answer<unknown>> {
  const url = addressOf(config.baseUrl, path, args);
  const { payload, contentType } = payloadOf(args.body);
  const key = method === 'get' ? undefined : keyOf(config, options);
  const headers = {
    accept: 'application/json',
    ...(config.key !== undefined && { authorization: `Bearer ${config.key}` }),
    ...(contentType !== undefined && { 'content-type': contentType }),
    ...(key !== undefined && { 'idempotency-key': key }),
    ...(options.ifMatch !== undefined && { 'if-match': versionOf(options.ifMatch, etags) }),
    ...options.headers,
  };
  const init: RequestInit = {
    method: method.toUpperCase(),
    headers,
    ...(payload !== undefined && { body: payload }),
    ...(config.credentials !== undefined && { credentials: config.credentials }),
  };
  if (payload instanceof ReadableStream) Object.assign(init, { duplex: 'half' });
  const repeatable =
    (method === 'get' || key !== undefined) && !(payload instanceof ReadableStream);
  const asked = { method: method.toUpperCase(), path };
  const timeout = options.timeout ?? config.timeout ?? 30_000;
  const ask = () =>
    within(timeout, options.signal, asked, async (signal) => {
      const response = await (config.fetch ?? fetch)(url, { ...init, signal });
      if (!response.ok && response.status !== 304) throw await errorOf(response, asked);
      const answer = await answerOf(response);
      if (typeof answer.data === 'object' && answer.data !== null && answer.etag !== undefined)
        etags.set(answer.data, answer.etag);
      return answer;
    });
  const retries = repeatable ? (options.retries ?? config.retries ?? 2) : 0;
  return withRetries(ask, retries, options.signal);
}

function keyOf(config: ClientOptions, { idempotencyKey }: CallOptions): string | undefined {
  if (idempotencyKey === false) return undefined;
  if (idempotencyKey !== undefined) return idempotencyKey;
  return config.idempotencyKeys === false ? undefined : newIdempotencyKey();
}

function versionOf(ifMatch: string | object, etags: WeakMap<object, string>): string {
  const etag = typeof ifMatch === 'string' ? ifMatch : etags.get(ifMatch);
  if (etag === undefined)
    throw new TypeError('ifMatch is not an object that this client has returned with a version');
  return etag;
}

async function answerOf(response: Response): Promise<Answer<unknown>> {
  const { status, headers } = response;
  const isJson = /\bjson\b/.test(headers.get('content-type') ?? '');
  const data = isJson ? await response.json() : undefined;
  return {
    data,
    status,
    etag: headers.get('etag') ?? undefined,
    location: headers.get('location') ?? undefined,
    requestId: headers.get('x-request-id') ?? undefined,
    headers,
  };
}

/**
 * One attempt. What `fetch` throws becomes an error of ours, unless the caller has ended it: then it
 * is their reason.
 */
async function within<Result>(
  timeout: number,
  signal: AbortSignal | undefined,
  asked: { method: string; path: string },
  attempt: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted();
  const ending = new AbortController();
  const abort = () => ending.abort(signal?.reason);
  signal?.addEventListener('abort', abort);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    ending.abort();
  }, timeout);
  try {
    return await attempt(ending.signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof Error && error.name === 'GuildhallError') throw error;
    throw noAnswer(error, asked, late ? timeout : undefined);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
