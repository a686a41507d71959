import { GuildhallError } from './error.ts';

/** An answer with what its headers say. */
export interface Answer<Data> {
  data: Data;
  status: number;
  /** The version of what was answered, for `ifMatch`. */
  etag: string | undefined;
  /** Where what was created can be read. */
  location: string | undefined;
  requestId: string | undefined;
  headers: Headers;
}

/** Either the data or the error, for those who would rather not catch. */
export type Result<Data, Code extends string> =
  | { data: Data; error?: undefined }
  | { data?: undefined; error: GuildhallError & { readonly code: Code } };

/**
 * A request that is on its way: a promise of its data, or by `withResponse` of the whole answer, or
 * by `result` of the data or the error, whose `code` is one of those that this operation declares.
 */
export class Call<Data, Code extends string = string> implements Promise<Data> {
  readonly #answer: Promise<Answer<Data>>;
  readonly [Symbol.toStringTag] = 'Call';

  constructor(answer: Promise<Answer<Data>>) {
    this.#answer = answer;
  }

  withResponse(): Promise<Answer<Data>> {
    return this.#answer;
  }

  /** Rejects only with what is no answer to the request, such as the reason of an abort. */
  result(): Promise<Result<Data, Code>> {
    return this.#answer.then(
      ({ data }) => ({ data }),
      (error) => {
        if (error instanceof GuildhallError) return { error: error as never };
        throw error;
      },
    );
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise.
  then<A = Data, B = never>(
    onData?: ((data: Data) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#answer.then(({ data }) => data).then(onData, onError);
  }

  catch<B = never>(onError?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<Data | B> {
    return this.then(undefined, onError);
  }

  finally(onEnd?: (() => void) | null): Promise<Data> {
    return this.#answer.then(({ data }) => data).finally(onEnd);
  }
}
