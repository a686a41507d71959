/** Arguments by name: those in the path, `body`, and the rest in the query. */
export type Arguments = Readonly<Record<string, unknown>>;

/**
 * The address of a request. Arguments that are not in the path are its query; those that are
 * undefined are left out. Throws a TypeError if one of the path is missing, because an empty segment
 * would be another operation.
 */
export function addressOf(baseUrl: string, template: string, args: Arguments): string {
  const used = new Set(['body']);
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = args[name];
    if (value === undefined || value === null || value === '')
      throw new TypeError(`${template} needs ${name}`);
    used.add(name);
    return encodeURIComponent(String(value));
  });
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(args))
    if (!used.has(name) && value !== undefined && value !== null) query.append(name, String(value));
  const search = query.toString();
  return `${baseUrl.replace(/\/+$/, '')}${path}${search === '' ? '' : `?${search}`}`;
}

type Payload = NonNullable<RequestInit['body']>;

/** A body as it is sent: plain objects and arrays as JSON, anything else as it is. */
export function payloadOf(body: unknown): { payload?: Payload; contentType?: string } {
  if (body === undefined) return {};
  if (isPlain(body)) return { payload: JSON.stringify(body), contentType: 'application/json' };
  const type = body instanceof Blob && body.type !== '' ? body.type : 'application/octet-stream';
  return { payload: body as Payload, contentType: type };
}

function isPlain(body: unknown): boolean {
  if (Array.isArray(body)) return true;
  if (typeof body !== 'object' || body === null) return false;
  const prototype = Object.getPrototypeOf(body);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/**
 * A key of its own for each write. `crypto.randomUUID` is missing on pages of plain http, as on a
 * server in a local network.
 */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
