/** Bytes that are sent together: each message to and from a pod costs as much as many of them. */
const TOGETHER = 131_072;

/** The same bytes in fewer parts: small ones are gathered, large ones stay as they are. */
export async function* gathered(
  parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  for await (const part of parts) {
    waiting.push(part);
    length += part.length;
    if (length < TOGETHER) continue;
    yield Buffer.concat(waiting, length);
    waiting = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(waiting, length);
}
