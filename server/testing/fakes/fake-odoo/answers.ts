import { randomUUID } from 'node:crypto';
import { encodeFault, type Value } from '../../../erp/odoo/xml-rpc.ts';
import type { Failure } from './failures.ts';
import { major, type Server } from './state.ts';

/** An answer of the fake. `failed`: the framework's own headers are not on it. */
export interface Answer {
  status: number;
  type: string;
  body: string;
  headers?: Record<string, string>;
  cookies?: number;
  failed?: boolean;
}

const JSON_TYPE = 'application/json; charset=utf-8';
export const XML_TYPE = 'text/xml; charset=utf-8';

/** A page: the fake has none of Odoo's, only their addresses and headers. */
export const page = (status: number, more: Partial<Answer> = {}): Answer => ({
  status,
  type: 'text/html; charset=utf-8',
  failed: status >= 400,
  body: `<!doctype html><title>${status}</title><p>This is a fake for tests.</p>\n`,
  ...more,
});

export const redirect = (status: number, location: string): Answer =>
  page(status, { headers: { location }, cookies: 1 });

export const json = (value: Value, more: Partial<Answer> = {}): Answer => ({
  status: 200,
  type: JSON_TYPE,
  body: JSON.stringify(value),
  ...more,
});

/** A fault: of exceptions of the server itself, a traceback is the text. */
export function faultOf(failure: Failure): Answer {
  const { fault, inTraceback, message } = failure;
  const text =
    fault === 1 ? `Traceback (most recent call last):\n${inTraceback}: ${message}\n` : message;
  return { status: 200, type: XML_TYPE, body: encodeFault(fault, text), failed: true };
}

const described = ({ exception, message, inTraceback }: Failure, more: Value[] = []) => ({
  name: exception,
  message,
  arguments: [message, ...more],
  context: {},
  debug: `Traceback (most recent call last):\n${inTraceback}: ${message}\n`,
});

/** The error of JSON-RPC and of the pages that speak it. */
export const rpcError = (server: Server, id: Value, failure: Failure): Answer =>
  json(
    {
      jsonrpc: '2.0',
      id,
      error: {
        code: major(server) >= 19 ? 0 : 200,
        message: 'fake: server error',
        data: described(failure),
      },
    },
    { failed: true },
  );

/** The error of JSON-2; those of the web framework also name their status. */
export function json2Error(failure: Failure): Answer {
  const { status, exception } = failure;
  const framework = exception.startsWith('werkzeug.');
  return json(described(failure, framework ? [status] : []), {
    status,
    failed: true,
    ...(status === 401 && { headers: { 'www-authenticate': 'Bearer' } }),
  });
}

/** The headers of an answer. Version 19 also forbids browsers to guess the type of what succeeded. */
export function headersOf(server: Server, answer: Answer): Record<string, string | string[]> {
  const { type, headers = {}, cookies = 0, failed = false } = answer;
  const cookie = () => `session_id=${randomUUID()}; Max-Age=604800; HttpOnly; Path=/`;
  return {
    'content-type': type,
    ...(major(server) >= 19 && !failed && { 'x-content-type-options': 'nosniff' }),
    ...(cookies > 0 && { 'set-cookie': Array.from({ length: cookies }, cookie) }),
    ...headers,
  };
}
