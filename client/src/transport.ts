import { errorOf, noAnswer, notOurs } from './answers.ts';
import type { Answer } from './call.ts';
import { GuildhallError } from './error.ts';
import { type ClientOptions, RETRIES, TIMEOUT_MS } from './options.ts';
import { type Asked, prepare } from './request.ts';
import { withRetries } from './retry.ts';

/** Sends requests, repeats what may be repeated, and throws what is no success. */
export class Transport {
  readonly #config: ClientOptions;
  /** The versions of what was read. */
  readonly #etags = new WeakMap<object, string>();

  constructor(config: ClientOptions) {
    this.#config = config;
  }

  /** An answer of JSON, or of nothing. */
  async answer(asked: Asked): Promise<Answer<unknown>> {
    const answer = await this.#ask(asked, (response) => read(response, asked));
    const { data, etag } = answer;
    if (typeof data === 'object' && data !== null && etag !== undefined)
      this.#etags.set(data, etag);
    return answer;
  }

  /** An answer whose body is still to come. The signal of the call ends that, too. */
  async response(asked: Asked): Promise<Response> {
    return this.#ask(asked, async (response) => response);
  }

  /** One attempt without a time limit, for streams; `signal` ends it at any time. */
  async open(asked: Asked, signal: AbortSignal): Promise<Response> {
    const { url, init } = this.#prepare(asked);
    try {
      return await this.#fetch(asked, url, { ...init, signal });
    } catch (error) {
      throw error instanceof GuildhallError ? error : noAnswer(error, asked);
    }
  }

  async #ask<Result>(asked: Asked, take: (response: Response) => Promise<Result>): Promise<Result> {
    const { url, init, repeatable } = this.#prepare(asked);
    const { signal, timeout = this.#config.timeout ?? TIMEOUT_MS } = asked.options;
    const attempt = async () => {
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), timeout);
      const either = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
      try {
        signal?.throwIfAborted();
        return await take(await this.#fetch(asked, url, { ...init, signal: either }));
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof GuildhallError) throw error;
        throw noAnswer(error, asked, late.signal.aborted ? timeout : undefined);
      } finally {
        clearTimeout(timer);
      }
    };
    const retries = asked.options.retries ?? this.#config.retries ?? RETRIES;
    return withRetries(attempt, repeatable ? retries : 0, signal);
  }

  #prepare(asked: Asked) {
    return prepare(this.#config, asked, (object) => this.#etags.get(object));
  }

  async #fetch(asked: Asked, url: URL, init: RequestInit): Promise<Response> {
    // As a variable, because the browser's `fetch` must not be called as a method.
    const { fetch: send = fetch } = this.#config;
    const response = await send(url, init);
    if (response.ok || response.status === 304) return response;
    throw await errorOf(response, asked);
  }
}

async function read(response: Response, asked: Asked): Promise<Answer<unknown>> {
  const { status, headers } = response;
  // A body that is not read would keep its connection.
  const text = await response.text();
  if (text !== '' && !/\bjson\b/.test(headers.get('content-type') ?? ''))
    throw notOurs(response, asked);
  return {
    data: text === '' ? undefined : JSON.parse(text),
    status,
    etag: headers.get('etag') ?? undefined,
    location: headers.get('location') ?? undefined,
    requestId: headers.get('x-request-id') ?? undefined,
    headers,
  };
}
