import { readFile } from 'node:fs/promises';
import { request as overHttp, type RequestOptions } from 'node:http';
import { request as overTls } from 'node:https';
import { WebSocket } from 'ws';
import { PodError } from '../pod.ts';

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
  /** Rejects with `unavailable` when the API does not answer, or answers 5xx or 429. */
  ask(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<Answer>;
  /** Resolves once it is open. */
  connect(path: string, protocols: string[]): Promise<WebSocket>;
}

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the API's answer, of which little is read.
  json: any;
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
      throw new PodError('unavailable', `Kubernetes cannot be asked (${cause.message})`, { cause });
    });
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
          resolve(socket);
        });
        socket.once('error', (error) => reject(unavailable(error)));
      });
    },
  };
}

const unavailable = (cause: Error) =>
  new PodError('unavailable', `Kubernetes does not answer (${cause.message})`, { cause });

function send(url: string, options: RequestOptions, body: Buffer | undefined): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(unavailable(error));
    const request = (url.startsWith('https:') ? overTls : overHttp)(url, options, (response) => {
      let text = '';
      response.on('error', fail);
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (text.length > MOST_ANSWER) response.destroy(new Error('its answer is too long'));
      });
      response.on('end', () => {
        const { statusCode: status = 0 } = response;
        const json = parse(text);
        if (status < 500 && status !== 429) return resolve({ status, json });
        fail(new Error(json?.message ?? `it answers ${status}`));
      });
    });
    request.on('error', fail);
    request.end(body);
  });
}

function parse(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What an answer that was not expected means. */
export const faultOf = ({ status, json }: Answer): PodError =>
  new PodError(
    'failed',
    `Kubernetes: ${String(json?.message ?? `it answers ${status}`).slice(0, 300)}`,
  );
