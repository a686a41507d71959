import { fileTypeFromBuffer } from 'file-type';

const TEXT = 'text/plain';
const BYTES = 'application/octet-stream';

/**
 * The media type of a file by its first bytes; what its sender called it does not matter. What has
 * no signature is text if it is UTF-8 without control characters, otherwise bytes.
 */
export async function mediaTypeOf(head: Buffer): Promise<string> {
  if (head.length === 0) return BYTES;
  // A format that is recognised and then broken off in its first bytes is none.
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  const mime = found?.mime.split(';', 1)[0]?.toLowerCase();
  if (mime !== undefined && /^[a-z0-9.+-]+\/[a-z0-9.+-]+$/.test(mime)) return mime;
  return isText(head) ? TEXT : BYTES;
}

function isText(head: Buffer): boolean {
  try {
    // The last character may be cut off, which is no error in a stream.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are looked for.
    return !/[\u0000-\u0008\u000e-\u001a\u001c-\u001f\u007f]/.test(text);
  } catch {
    return false;
  }
}
