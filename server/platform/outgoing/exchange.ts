import { type IncomingMessage, request as requestHttp } from 'node:http';
import { type RequestOptions, request as requestHttps } from 'node:https';
import type { TcpSocketConnectOpts } from 'node:net';
import { asOutgoingError, OutgoingError } from './outgoing-error.ts';
import { type Address, lookupOf } from './resolve-name.ts';

/** One request over a connection of its own, and its answer. */

interface Exchange {
  url: URL;
  /** Those that were checked; no other address is connected to. */
  addresses: readonly Address[];
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  headers: Readonly<Record<string, string>>;
  body: string | Buffer | undefined;
  maxBytes: number;
  /** The connection is closed once the head of the answer has come. */
  headOnly: boolean;
  /** Of a longer answer, the first bytes are taken instead of none. */
  keepFirst: boolean;
  signal: AbortSignal;
  /** Authorities that are trusted, in PEM format; those of Node.js otherwise. */
  ca: string | undefined;
}

export interface Exchanged {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** Answers 1xx before the one that counts. */
const MOST_INTERIM = 20;

/** What networks make of an answer is larger, but for its beginning and what is flushed. */
const SMALLEST_PIECE = 256;
const FEWEST_PIECES = 1_000;

/** Rejects with OutgoingError; when the signal aborts, with its reason. */
export async function exchange(options: Exchange): Promise<Exchanged> {
  try {
    const answer = await begin(options);
    return {
      status: answer.statusCode ?? 0,
      headers: headersOf(answer),
      body: options.headOnly
        ? leave(answer)
        : options.keepFirst
          ? await firstOf(answer, options.maxBytes)
          : await bodyOf(answer, options.maxBytes),
    };
  } catch (error) {
    options.signal.throwIfAborted();
    throw asOutgoingError(error);
  }
}

/**
 * `agent: false` opens a connection for this request alone: none is left for a later one whose name
 * may have other addresses by then, and no proxy of the environment is used.
 */
function begin({ url, addresses, ...sent }: Exchange): Promise<IncomingMessage> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const { method, headers, body, signal, ca } = sent;
  return new Promise((resolve, reject) => {
    const options: RequestOptions & Pick<TcpSocketConnectOpts, 'autoSelectFamily'> = {
      method,
      signal,
      ca,
      agent: false,
      lookup: lookupOf(addresses),
      autoSelectFamily: true,
      headers: {
        'user-agent': 'guildhall',
        // A compressed answer could unpack to any size.
        'accept-encoding': 'identity',
        ...headers,
        ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      },
    };
    const request = send(url, options);
    let interim = 0;
    request.once('response', resolve).once('error', reject);
    // Without an end, they would be read until the time-out.
    request.on('information', () => {
      interim += 1;
      if (interim > MOST_INTERIM) request.destroy(new OutgoingError('broken'));
    });
    // As nothing takes these sockets, the answer could never end.
    request.once('upgrade', (_, socket) => {
      socket.destroy();
      reject(new OutgoingError('broken'));
    });
    request.end(body);
  });
}

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  );

function leave(answer: IncomingMessage): Buffer {
  answer.on('error', () => undefined).destroy();
  return Buffer.alloc(0);
}

async function bodyOf(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  // Each piece costs as much as a hundred bytes and more, however small it is.
  const mostPieces = FEWEST_PIECES + maxBytes / SMALLEST_PIECE;
  // Leaving the loop closes the connection.
  for await (const piece of answer) {
    bytes += piece.length;
    if (bytes > maxBytes || pieces.length > mostPieces) throw new OutgoingError('too_large');
    pieces.push(piece);
  }
  const encoding = answer.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (bytes > 0 && encoding !== 'identity') throw new OutgoingError('broken');
  return Buffer.concat(pieces);
}

/** The first bytes of an answer, whatever follows. */
async function firstOf(answer: IncomingMessage, most: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of answer) {
    pieces.push(piece);
    bytes += piece.length;
    // Leaving the loop closes the connection.
    if (bytes >= most || pieces.length >= FEWEST_PIECES) break;
  }
  return Buffer.concat(pieces).subarray(0, most);
}
