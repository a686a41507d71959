import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Deadlines } from './options.ts';

/** One request to the provider, from its body to the beginning of its answer. */

interface Sent {
  url: string;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
  deadlines: Deadlines;
}

/** `unsure`: the provider may have worked on the request, and may charge for it. */
export class ProviderSilent extends Error {
  readonly unsure: boolean;

  constructor(message: string, unsure: boolean, options?: ErrorOptions) {
    super(message, options);
    this.unsure = unsure;
  }
}

/**
 * The answer as it begins; its body has not been read. No redirect is followed. Rejects with
 * ProviderSilent when there is none in time, or none that is HTTP.
 */
export function send({ url, headers, body, signal, deadlines }: Sent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let connected = false;
    const fail = (cause: Error) =>
      reject(
        new ProviderSilent(
          `the provider does not answer (${codeOf(cause)})`,
          connected && (signal.aborted || cause === late),
          { cause },
        ),
      );
    const late = new Error('timeout');
    const request: ClientRequest = (url.startsWith('https:') ? httpsRequest : httpRequest)(url, {
      method: 'POST',
      signal,
      headers: {
        ...headers,
        'content-type': 'application/json',
        'user-agent': 'guildhall',
        // What is compressed could not be counted on its way.
        'accept-encoding': 'identity',
        'content-length': String(Buffer.byteLength(body)),
      },
      maxHeaderSize: 16_384,
    });
    const timer = setTimeout(() => request.destroy(late), deadlines.answer);
    let hints = 0;
    request
      .on('information', () => {
        hints += 1;
        if (hints > 20) request.destroy(new Error('too many interim answers'));
      })
      .on('finish', () => {
        connected = true;
      })
      .on('error', (error) => {
        clearTimeout(timer);
        fail(error);
      })
      .on('response', (answer) => {
        clearTimeout(timer);
        resolve(answer);
      })
      .end(body);
  });
}

const codeOf = (error: Error): string => (error as NodeJS.ErrnoException).code ?? error.message;
