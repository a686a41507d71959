import { Call } from './call.ts';
import type {
  ArgumentsOf,
  CodeOf,
  DataOf,
  ItemOf,
  JsonIn,
  ListsIn,
  Method,
  OperationAt,
  PathsWith,
  Rest,
  StreamsIn,
} from './operation.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import { List, type Page, pageOf } from './pages.ts';
import type { Arguments } from './request.ts';
import type { paths as PublicPaths } from './schema.d.ts';
import type { StreamOptions } from './stream.ts';
import { Transport } from './transport.ts';

/** The requests of one method, by their paths. */
type Send<Paths, M extends Method, Fit extends string = PathsWith<Paths, M>> = <
  P extends PathsWith<Paths, M> & Fit,
>(
  path: P,
  ...rest: Rest<OperationAt<Paths, M, P>, CallOptions>
) => Call<DataOf<OperationAt<Paths, M, P>>, CodeOf<OperationAt<Paths, M, P>>>;

type Get<Paths, P extends keyof Paths> = OperationAt<Paths, 'get', P>;

/**
 * The operations of an API by their paths. Arguments are the parameters by their names, and `body`.
 * `Paths` are those of Guildhall's API unless others are given.
 */
export interface Client<Paths = PublicPaths> {
  get: Send<Paths, 'get', JsonIn<Paths>>;
  post: Send<Paths, 'post'>;
  put: Send<Paths, 'put'>;
  delete: Send<Paths, 'delete'>;

  /** A list, whose pages are read as they are needed. */
  list<P extends ListsIn<Paths>>(
    path: P,
    ...rest: Rest<Get<Paths, P>, CallOptions>
  ): List<ItemOf<Get<Paths, P>>, ArgumentsOf<Get<Paths, P>>>;

  /** One page of a list, and the arguments of the next one. */
  page<P extends ListsIn<Paths>>(
    path: P,
    ...rest: Rest<Get<Paths, P>, CallOptions>
  ): Promise<Page<ItemOf<Get<Paths, P>>, ArgumentsOf<Get<Paths, P>>>>;

  /** Events as they happen, across connections that break. */
  stream<P extends StreamsIn<Paths>>(
    path: P,
    ...rest: Rest<Get<Paths, P>, StreamOptions>
  ): AsyncGenerator<ItemOf<Get<Paths, P>>, void, undefined>;

  /** A file. `timeout` is the time until it begins; `signal` ends it at any time. */
  download<P extends PathsWith<Paths, 'get'>>(
    path: P,
    ...rest: Rest<Get<Paths, P>, CallOptions>
  ): Promise<Response>;
}

/** A client of a Guildhall server. It holds no connection and needs no end. */
export function createClient<Paths = PublicPaths>(config: ClientOptions): Client<Paths> {
  const transport = new Transport({ ...config });
  const send =
    (method: string) =>
    (path: string, args: Arguments = {}, options: CallOptions = {}) =>
      new Call(transport.answer({ method, path, args, options }));
  const page = async (path: string, args: Arguments = {}, options: CallOptions = {}) =>
    pageOf(await transport.answer({ method: 'GET', path, args, options }), args);
  const client = {
    get: send('GET'),
    post: send('POST'),
    put: send('PUT'),
    delete: send('DELETE'),
    page,
    list: (path: string, args: Arguments = {}, options: CallOptions = {}) =>
      new List((next) => page(path, next, options), args),
    // Loaded with the first stream: most programs, and most pages of a dashboard, open none.
    stream: async function* (path: string, args: Arguments = {}, options: StreamOptions = {}) {
      const { follow } = await import('./stream.ts');
      const { headers = {} } = options;
      yield* follow(transport, { method: 'GET', path, args, options: { headers } }, options);
    },
    download: (path: string, args: Arguments = {}, { headers, ...options }: CallOptions = {}) =>
      transport.response({
        method: 'GET',
        path,
        args,
        options: { ...options, headers: { accept: '*/*', ...headers } },
      }),
  };
  return client as unknown as Client<Paths>;
}
