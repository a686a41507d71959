import assert from 'node:assert/strict';
import { compileRequest, type ErrorItem, type RawRequest } from '../../http/input/validation.ts';

/** What any compiled reader answers, for tests that use several. */
export type Reply =
  | { ok: true; params: unknown; query: unknown; body: unknown }
  | { ok: false; items: ErrorItem[] };
export type Reader = (raw: RawRequest) => Reply;

/** A JSON request: text and bytes are sent as they are, everything else as JSON. */
export const rawRequest = (body: unknown, search = '', params = {}): RawRequest => ({
  params,
  search,
  contentType: 'application/json',
  body:
    body instanceof Uint8Array
      ? body
      : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});

/** The items of a request that is refused. */
export function itemsOf(reader: Reader, raw: RawRequest): ErrorItem[] {
  const reply = reader(raw);
  return reply.ok ? assert.fail(`accepted: ${JSON.stringify(reply)}`) : reply.items;
}

/** The body that the handler gets. */
export function bodyOf(reader: Reader, body: unknown): unknown {
  const reply = reader(rawRequest(body));
  return reply.ok ? reply.body : assert.fail(JSON.stringify(reply.items));
}

/** The query that the handler gets. */
export function queryOf(reader: Reader, search: string): unknown {
  const reply = reader(rawRequest('', search));
  return reply.ok ? reply.query : assert.fail(JSON.stringify(reply.items));
}

/**
 * Reads one field of a body: its value, or the types and places of its errors, `too_short value.0`.
 */
export function fieldOf(
  schema: Parameters<typeof compileRequest>[0]['body'],
): (value: unknown) => unknown {
  const read = compileRequest({ body: schema });
  return (value) => {
    const reply = read(rawRequest(JSON.stringify({ value })));
    if (reply.ok) return (reply.body as { value: unknown }).value;
    return reply.items.map(({ type, loc }) => `${type} ${loc.slice(1).join('.')}`).join(', ');
  };
}
