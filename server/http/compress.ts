import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';

/** Shorter texts fit into one packet as they are. */
const WORTH_IT = 1_024;

/**
 * Whether the text of an answer may be compressed. Not one with a strong ETag, which names bytes (RFC
 * 9110, 8.8.1) and which callers send back in If-Match.
 */
export const isCompressible = (text: string, headers: Record<string, string>): boolean =>
  text.length > WORTH_IT && headers.etag === undefined;

/** Whether a client accepts gzip (RFC 9110, 12.5.3). */
export const acceptsGzip = ({ 'accept-encoding': accepted = '' }: IncomingHttpHeaders): boolean =>
  accepted.split(',').some((one) => {
    const [coding, ...parameters] = one.split(';').map((part) => part.trim().toLowerCase());
    return coding === 'gzip' && !parameters.some((each) => /^q=0(\.0*)?$/.test(each));
  });

/**
 * Whether no other site can have made a browser ask for this: from the length of a compressed answer
 * that holds a secret beside something that the site chose, whoever sees the network could read the
 * secret (BREACH).
 */
export const isAskedByOurs = (headers: IncomingHttpHeaders): boolean =>
  headers.authorization !== undefined || headers['sec-fetch-site'] === 'same-origin';

const compressed = promisify(gzip);

/** For an answer that is made now. Off the main thread, like the other one. */
export const gzipFast = (text: string): Promise<Buffer> =>
  compressed(text, { level: constants.Z_BEST_SPEED });

/** For what is kept. */
export const gzipWell = (bytes: Buffer): Promise<Buffer> =>
  compressed(bytes, { level: constants.Z_BEST_COMPRESSION });
