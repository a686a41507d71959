/**
 * Frames on a stream: four bytes of length (big endian), then as many bytes. The input of a program
 * in a pod is sent in frames because not every engine can close it; an empty frame is its end.
 */

const HEADER = 4;
/** What sends more at once is none of ours. */
export const MOST_FRAME = 1_048_576;

export const frame = (content: Uint8Array): Buffer => {
  const header = Buffer.alloc(HEADER);
  header.writeUInt32BE(content.length);
  return Buffer.concat([header, content]);
};

export const LAST_FRAME: Buffer = frame(Buffer.alloc(0));

/** Takes a stream apart as it arrives. Throws where a frame is longer than any of ours. */
export function unframe(use: (content: Buffer) => void): (chunk: Uint8Array) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    for (;;) {
      if (rest.length < HEADER) return;
      const length = rest.readUInt32BE();
      if (length > MOST_FRAME) throw new Error('a frame is too long');
      if (rest.length < HEADER + length) return;
      const content = rest.subarray(HEADER, HEADER + length);
      rest = rest.subarray(HEADER + length);
      use(content);
    }
  };
}

/** The contents of the frames up to the last one. Rejects where the stream ends before that. */
export async function* framesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const ready: Buffer[] = [];
  const take = unframe((content) => ready.push(content));
  for await (const chunk of source) {
    take(chunk);
    for (const content of ready.splice(0)) {
      if (content.length === 0) return;
      yield content;
    }
  }
  throw new Error('the input ended before its end');
}
