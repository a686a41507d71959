import type { CallOptions, ClientOptions } from './options.ts';

/** Arguments by name: those in the path, `body`, and the rest in the query. */
export type Arguments = Readonly<Record<string, unknown>>;

/** What is asked of the server; `method` in capitals. */
export interface Asked {
  method: string;
  path: string;
  args: Arguments;
  options: CallOptions;
}

/** A request as `fetch` takes it. */
interface Prepared {
  url: URL;
  init: RequestInit;
  /** May it be sent again? A write only with a key, a stream never. */
  repeatable: boolean;
}

type Payload = NonNullable<RequestInit['body']>;

/**
 * Everything that is wrong with a request before it is sent is a TypeError here, so that it is not
 * taken for a failure of the network and repeated.
 */
export function prepare(
  config: ClientOptions,
  { method, path, args, options }: Asked,
  versionOf: (read: object) => string | undefined,
): Prepared {
  const payload = payloadOf(args.body);
  const key = method === 'GET' ? undefined : idempotencyKeyOf(config, options);
  const headers = new Headers({ accept: 'application/json' });
  if (config.key !== undefined) headers.set('authorization', `Bearer ${config.key}`);
  if (payload?.type !== undefined) headers.set('content-type', payload.type);
  if (key !== undefined) headers.set('idempotency-key', key);
  const { ifMatch } = options;
  if (ifMatch !== undefined) headers.set('if-match', etagOf(ifMatch, versionOf));
  for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
  const init: RequestInit = { method, headers };
  if (config.credentials !== undefined) init.credentials = config.credentials;
  if (payload !== undefined) init.body = payload.body;
  const isStream = payload?.body instanceof ReadableStream;
  // The standard asks for it; the types of some platforms do not know it.
  if (isStream) Object.assign(init, { duplex: 'half' });
  const repeatable = (method === 'GET' || key !== undefined) && !isStream;
  return { url: addressOf(config.baseUrl, path, args), init, repeatable };
}

/**
 * Arguments that are not in the path are the query; those that are undefined are left out. One of
 * the path must not be empty: that would be another operation.
 */
function addressOf(baseUrl: string, template: string, args: Arguments): URL {
  const used = new Set(['body']);
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = args[name];
    // A path would lose these two segments, too.
    if (value === undefined || value === null || ['', '.', '..'].includes(String(value)))
      throw new TypeError(`${template} needs ${name}`);
    used.add(name);
    return encodeURIComponent(String(value));
  });
  const { location } = globalThis as { location?: { href: string } };
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}${path}`, location?.href);
  for (const [name, value] of Object.entries(args))
    if (!used.has(name) && value !== undefined && value !== null)
      for (const item of [value].flat()) url.searchParams.append(name, String(item));
  return url;
}

/** Bytes and texts are sent as they are, anything else as JSON. */
function payloadOf(body: unknown): { body: Payload; type?: string } | undefined {
  if (body === undefined) return undefined;
  // `fetch` gives these two their type.
  if (typeof body === 'string' || body instanceof Blob) return { body };
  const isBytes = body instanceof ArrayBuffer || ArrayBuffer.isView(body);
  if (isBytes || body instanceof ReadableStream)
    return { body: body as Payload, type: 'application/octet-stream' };
  return { body: JSON.stringify(body), type: 'application/json' };
}

function idempotencyKeyOf(
  config: ClientOptions,
  { idempotencyKey }: CallOptions,
): string | undefined {
  if (idempotencyKey === false) return undefined;
  if (idempotencyKey !== undefined) return idempotencyKey;
  return config.idempotencyKeys === false ? undefined : newIdempotencyKey();
}

/** A key for `idempotencyKey`, for a write that may have to be repeated later. */
// `crypto.randomUUID` is missing on pages of plain http, as those of a server in a local network
// are.
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function etagOf(ifMatch: string | object, versionOf: (read: object) => string | undefined): string {
  const etag = typeof ifMatch === 'string' ? ifMatch : versionOf(ifMatch);
  if (etag === undefined)
    throw new TypeError('ifMatch is not an object that this client has returned with a version');
  return etag;
}
