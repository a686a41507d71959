import { readFile } from 'node:fs/promises';
import { type IncomingMessage, request as overHttp, type RequestOptions } from 'node:http';
import { request as overTls } from 'node:https';
import { WebSocket } from 'ws';
import { type Answer, faultOf, parse, unavailable } from './answer.ts';

/** The API of Kubernetes, as far as pods need it. */

export interface KubernetesPlace {
  /** The API server. */
  url: string;
  /** Read for each call, because the kubelet renews the token of a service account. */
  tokenFile: string;
  /** Undefined: the authorities that Node.js trusts. */
  caFile: string | undefined;
}

export interface KubernetesClient {
  /** Rejects with `unavailable` when the API does not answer, or answers 429 or 5xx. */
  ask(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<Answer>;
  /** Resolves once it is open, and paused until whoever gets it listens. Rejects with what the API, or a proxy before it, answers instead. */
  connect(path: string, protocols: string[]): Promise<WebSocket>;
}

const WITHIN_MS = 30_000;
const MOST_ANSWER = 64 * 1_048_576;
const MOST_MESSAGE = 4 * 1_048_576;

/** `within`: milliseconds for an answer. */
export function kubernetesClient(place: KubernetesPlace, within = WITHIN_MS): KubernetesClient {
  const secrets = async () => {
    const [token, ca] = await Promise.all([
      readFile(place.tokenFile, 'utf8'),
      place.caFile === undefined ? undefined : readFile(place.caFile),
    ]).catch((cause) => {
      throw unavailable(cause, 'cannot be asked');
    });
    if (!/^[\x21-\x7e]+$/.test(token.trim()))
      throw unavailable(new Error(`${place.tokenFile} holds no token`), 'cannot be asked');
    return { authorization: `Bearer ${token.trim()}`, ca };
  };

  return {
    async ask(method, path, body) {
      const { authorization, ca } = await secrets();
      const content = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
      const options: RequestOptions = {
        method,
        headers: {
          authorization,
          accept: 'application/json',
          ...(content && { 'content-type': 'application/json', 'content-length': content.length }),
        },
        signal: AbortSignal.timeout(within),
      };
      return send(`${place.url}${path}`, { ...options, ca } as RequestOptions, content);
    },

    async connect(path, protocols) {
      const { authorization, ca } = await secrets();
      const url = `${place.url.replace(/^http/, 'ws')}${path}`;
      const socket = new WebSocket(url, protocols, {
        headers: { authorization },
        handshakeTimeout: within,
        maxPayload: MOST_MESSAGE,
        ...(ca === undefined ? {} : { ca }),
      });
      return new Promise((resolve, reject) => {
        socket.once('open', () => {
          socket.removeAllListeners('error').on('error', () => undefined);
          socket.pause();
          resolve(socket);
        });
        socket.once('error', (error) => reject(unavailable(error)));
        socket.once('unexpected-response', (request, response) => {
          answerOf(response)
            .then((answer) => reject(faultOf(answer)), reject)
            .finally(() => request.destroy());
        });
      });
    },
  };
}

async function send(
  url: string,
  options: RequestOptions,
  body: Buffer | undefined,
): Promise<Answer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = (url.startsWith('https:') ? overTls : overHttp)(url, options, resolve);
    request.on('error', (error) => reject(unavailable(error)));
    request.end(body);
  });
  const answer = await answerOf(response);
  const { status } = answer;
  if (status === 429 || status >= 500) throw faultOf(answer);
  return answer;
}

function answerOf(response: IncomingMessage): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let text = '';
    response.on('error', (error) => reject(unavailable(error)));
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.length > MOST_ANSWER) response.destroy(new Error('its answer is too long'));
    });
    response.on('end', () => resolve({ status: response.statusCode ?? 0, json: parse(text) }));
  });
}
