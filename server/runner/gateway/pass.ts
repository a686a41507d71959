import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { textOf } from '../../platform/pods/pod-socket.ts';
import { hiding, holdsSecret } from '../../telemetry/hide-secrets.ts';
import type { Meter } from './model-api.ts';
import type { Deadlines, GatewayOptions } from './options.ts';
import { eventReader, parse } from './read-events.ts';
import { Refusal } from './refusal.ts';

/** Passes an answer of the provider on to the pod, and meters it on its way. */

interface Options extends Pick<GatewayOptions, 'provider' | 'onFault' | 'onRefused'> {
  deadlines: Deadlines;
  meter: Meter;
}

const MAX_ANSWER = 32 * 1024 ** 2;
const MAX_ERROR = 64 * 1024;
/** Headers of an answer that the pod gets. Others may name the account of the operator. */
const PASSED = ['content-type', 'retry-after', 'request-id', 'x-request-id', 'x-should-retry'];

/** An answer that its provider may charge for, and that cannot be counted. */
export class Uncounted extends Refusal {}

/**
 * Returns what ends the answer, to be called once it is charged; undefined for an error, which
 * costs nothing and has ended. When the pod has hung up, the answer is read on to its end: only that
 * tells what it has cost. Rejects when the provider cuts it, or the pod does not read it. Throws Refusal
 * for an answer that cannot be passed on.
 */
export async function pass(
  answer: IncomingMessage,
  to: ServerResponse,
  options: Options,
): Promise<(() => void) | undefined> {
  const { statusCode: status = 0 } = answer;
  const watch = idleWatch(answer, options.deadlines.idle);
  try {
    const fault = faultOf(answer, options);
    if (fault !== undefined) {
      answer.destroy();
      throw fault;
    }
    if (status >= 400) {
      await passError(answer, to, options);
      return undefined;
    }
    const streamed = answer.headers['content-type']?.startsWith('text/event-stream') === true;
    if (!streamed) return await passWhole(answer, to, options);
    to.writeHead(status, headersOf(answer, options));
    to.flushHeaders();
    const events = eventReader((event) => options.meter.read(event));
    const cut = once(answer, 'close').then(() => Promise.reject(new Error('the answer was cut')));
    cut.catch(() => undefined);
    const left = new Promise((resolve) => to.once('close', resolve));
    for await (const chunk of answer) {
      watch.refresh();
      events.push(chunk);
      // The provider is read no faster than the pod reads.
      if (!to.closed && !to.write(chunk)) await Promise.race([drained(to), left, cut]);
    }
    events.end();
    return () => to.end();
  } finally {
    watch.end();
  }
}

const drained = (to: ServerResponse) => new Promise((resolve) => to.once('drain', resolve));

async function passWhole(answer: IncomingMessage, to: ServerResponse, options: Options) {
  const text = await textOf(answer, MAX_ANSWER);
  const body = parse(text);
  if (body !== undefined) options.meter.read(body);
  return () => to.writeHead(answer.statusCode ?? 200, headersOf(answer, options)).end(text);
}

/** Some providers repeat the key that they did not accept. */
async function passError(answer: IncomingMessage, to: ServerResponse, options: Options) {
  const status = answer.statusCode ?? 502;
  const again = status === 429 || status >= 500;
  const text = await textOf(answer, MAX_ERROR).catch(() => '');
  const key = options.provider.key();
  const shown = key === undefined ? text : hiding([key])(text);
  if (parse(shown) === undefined)
    throw new Refusal(status, `The provider answered ${status}.`, again);
  to.writeHead(status, headersOf(answer, options)).end(shown);
}

const REFUSED = (status: number) =>
  `The provider of the model does not accept the key of this server (${status}). Its operator has ` +
  'to set one that is valid; send a message to try again then.';

/** What makes an answer useless. */
function faultOf(
  { statusCode: status = 0, headers }: IncomingMessage,
  { provider, onFault, onRefused }: Options,
): Refusal | undefined {
  if (status === 401 || status === 403) {
    onFault?.(`The provider ${provider.id} does not accept its key (${status}).`);
    onRefused?.(REFUSED(status));
    return new Refusal(502, 'The provider does not accept the key of this server.');
  }
  if (status >= 300 && status < 400) {
    onFault?.(`The provider ${provider.id} redirects (${status}), which is not followed.`);
    return new Refusal(502, 'The provider redirects, which is not followed.');
  }
  const type = headers['content-type'] ?? '';
  const readable = /^(application\/json|text\/event-stream)/.test(type);
  const encoded = (headers['content-encoding'] ?? 'identity') !== 'identity';
  if (status < 400 && (status < 200 || !readable || encoded)) {
    onFault?.(`The provider ${provider.id} answers what cannot be counted (${status} ${type}).`);
    return new Uncounted(502, 'The provider answers what cannot be counted.');
  }
  return undefined;
}

function headersOf({ headers }: IncomingMessage, { provider }: Pick<Options, 'provider'>) {
  const key = provider.key();
  const passed = PASSED.flatMap((name) => {
    const value = headers[name];
    const repeated = key !== undefined && holdsSecret(String(value), key);
    return value === undefined || repeated ? [] : [[name, value] as const];
  });
  return Object.fromEntries(passed);
}

/** Cuts an answer of which nothing moves. */
function idleWatch(answer: IncomingMessage, limit: number) {
  const timer = setTimeout(() => answer.destroy(new Error('nothing moves')), limit);
  return { refresh: () => timer.refresh(), end: () => clearTimeout(timer) };
}
