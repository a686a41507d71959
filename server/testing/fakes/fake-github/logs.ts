import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Addresses, CheckRun, State } from './state.ts';

/** Logs are at another host, whose addresses are valid for a minute. */

const MINUTE_MS = 60_000;

export const logLink = ({ now }: State, { storage }: Addresses, { id }: CheckRun): string =>
  `${storage}/logs/${id}.txt?se=${now() + MINUTE_MS}&sig=${id.toString(36)}`;

/** As that host does, it refuses whoever sends it a credential of GitHub's. */
export function serveLog(state: State, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://storage');
  const id = Number(/^\/logs\/(\d+)\.txt$/.exec(pathname)?.[1]);
  const refuse = (status: number, code: string, message: string) =>
    response
      .writeHead(status, { 'content-type': 'application/xml' })
      .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`);
  if (request.headers.authorization !== undefined)
    return void refuse(
      400,
      'InvalidAuthenticationInfo',
      'Authentication information is not given in the correct format.',
    );
  const [run] = [...state.repositories.values()].flatMap(({ runs }) => runs.get(id) ?? []);
  const ends = Number(searchParams.get('se'));
  if (searchParams.get('sig') !== id.toString(36) || !(ends > state.now()))
    return void refuse(403, 'AuthenticationFailed', 'Signature not valid in the specified time.');
  if (run?.log === undefined)
    return void refuse(404, 'BlobNotFound', 'The specified blob does not exist.');
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(run.log);
}
