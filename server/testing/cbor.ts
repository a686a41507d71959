/** CBOR (RFC 8949) of integers, texts, bytes, lists and maps: what authenticators write. */
export function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return withHead(3, Buffer.from(value));
  if (Buffer.isBuffer(value)) return withHead(2, value);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  if (value instanceof Map)
    return Buffer.concat([head(5, value.size), ...[...value].flat().map(cbor)]);
  throw new Error(`no CBOR for ${String(value)}`);
}

const withHead = (major: number, bytes: Buffer): Buffer =>
  Buffer.concat([head(major, bytes.length), bytes]);

function head(major: number, length: number): Buffer {
  const first = major << 5;
  if (length < 24) return Buffer.from([first | length]);
  if (length < 256) return Buffer.from([first | 24, length]);
  return Buffer.from([first | 25, length >> 8, length & 255]);
}
