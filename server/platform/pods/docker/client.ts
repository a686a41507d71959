import { readFile } from 'node:fs/promises';
import { type ClientRequest, request as overHttp, type RequestOptions } from 'node:http';
import { request as overTls } from 'node:https';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { PodError } from '../pod.ts';

/** The API of a Docker engine, as far as pods need it. */

/** 1.44, that of Docker 25, or the engine's own where that is older: 1.41 is that of Docker 20.10. */
const NEWEST = 44;
const OLDEST = 41;
const WITHIN_MS = 30_000;
const MOST_ANSWER = 16 * 1_048_576;

export interface DockerClient {
  /** Rejects with `unavailable` when the engine does not answer, or answers 5xx. */
  ask(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<Answer>;
  /** A connection that the engine uses in both directions after its answer. */
  hijack(path: string, body: unknown): Promise<Socket>;
}

interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the engine's answer, of which little is read.
  json: any;
}

/**
 * `host` as in DOCKER_HOST: `unix:///path`, or `tcp://name:port`. `certificates`: a folder with
 * ca.pem, cert.pem and key.pem, for TLS. `within`: milliseconds for an answer.
 */
export async function dockerClient(
  host: string,
  certificates?: string,
  within = WITHIN_MS,
): Promise<DockerClient> {
  const to = await optionsOf(host, certificates);
  const begin = (
    method: string,
    path: string,
    body: unknown,
    headers: RequestOptions['headers'],
  ) => {
    const content = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const options: RequestOptions = {
      ...to,
      method,
      path,
      timeout: within,
      headers: {
        ...(content && { 'content-type': 'application/json', 'content-length': content.length }),
        ...headers,
      },
    };
    const request = certificates === undefined ? overHttp(options) : overTls(options);
    request.on('timeout', () => request.destroy(new Error('it did not answer in time')));
    request.end(content);
    return request;
  };

  let known: Promise<string> | undefined;
  const api = (): Promise<string> => {
    known ??= answerOf(begin('GET', '/version', undefined, {}))
      .then(apiOf)
      .catch((error) => {
        known = undefined;
        throw error;
      });
    return known;
  };

  return {
    ask: async (method, path, body) => answerOf(begin(method, (await api()) + path, body, {})),
    async hijack(path, body) {
      const headers = { connection: 'Upgrade', upgrade: 'tcp' };
      return hijacked(begin('POST', (await api()) + path, body, headers));
    },
  };
}

/** How paths begin in the version that the engine and this client both know. */
function apiOf({ status, json }: Answer): string {
  if (status !== 200) throw faultOf(status, json);
  const minor = Number(/^1\.(\d+)$/.exec(json?.ApiVersion)?.[1] ?? 0);
  if (minor < OLDEST)
    throw new PodError(
      'failed',
      'the container engine is too old: it must be Docker 20.10 or newer',
    );
  return `/v1.${Math.min(minor, NEWEST)}`;
}

async function optionsOf(host: string, certificates: string | undefined): Promise<RequestOptions> {
  const { protocol, hostname, port } = new URL(host);
  // A path as it is, like that of Docker's own client: as part of a URL it would be encoded.
  if (protocol === 'unix:')
    return { socketPath: host.replace(/^unix:(\/\/)?/i, ''), host: 'docker' };
  const to = { host: hostname, port: port === '' ? 2376 : Number(port) };
  if (certificates === undefined) return to;
  const [ca, cert, key] = await Promise.all(
    ['ca.pem', 'cert.pem', 'key.pem'].map((name) => readFile(join(certificates, name))),
  );
  return { ...to, ca, cert, key } as RequestOptions;
}

const unavailable = (cause: Error) =>
  new PodError('unavailable', `the container engine does not answer (${cause.message})`, { cause });

function answerOf(request: ClientRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request.on('error', (error) => reject(unavailable(error)));
    request.on('response', (response) => {
      let text = '';
      // Of the whole answer: the timeout of the request begins again with each byte.
      const late = setTimeout(
        () => response.destroy(new Error('it answers too slowly')),
        WITHIN_MS,
      );
      response.on('error', (error) => reject(unavailable(error)));
      response.on('close', () => clearTimeout(late));
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (text.length > MOST_ANSWER) response.destroy(new Error('its answer is too long'));
      });
      response.on('end', () => {
        const { statusCode: status = 0 } = response;
        const json = parse(text);
        if (status < 500) return resolve({ status, json });
        reject(unavailable(new Error(json?.message ?? `it answers ${status}`)));
      });
    });
  });
}

function hijacked(request: ClientRequest): Promise<Socket> {
  return new Promise((resolve, reject) => {
    request.on('error', (error) => reject(unavailable(error)));
    request.on('response', (response) => {
      // An engine that does not upgrade has refused.
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        if (text.length < 4_096) text += chunk;
      });
      response.on('close', () => reject(faultOf(response.statusCode ?? 0, parse(text))));
    });
    request.on('upgrade', (_response, socket: Socket, head) => {
      socket.setTimeout(0);
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
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
export function faultOf(status: number, json: { message?: string } | undefined): PodError {
  const message = (json?.message ?? `it answers ${status}`).slice(0, 300);
  return new PodError(status >= 500 ? 'unavailable' : 'failed', `the container engine: ${message}`);
}
