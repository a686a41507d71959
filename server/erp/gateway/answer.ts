import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { concurrencyLimit } from '../../platform/concurrency-limit.ts';
import { isToken, TooLarge, textOf } from '../../platform/pods/pod-socket.ts';
import { commandIn, readCommand, runCommand } from './commands.ts';
import { bearerOf } from './json2.ts';
import { passOn } from './pass-on.ts';
import { permitting } from './permitting.ts';
import type { Asked, Called, Protocol, Shown } from './protocol.ts';
import { protocolOf } from './protocols.ts';
import { readingFor } from './reading.ts';
import { ENDED, NOT_RUNNING, Refusal } from './refusal.ts';
import { signingIn } from './sign-in.ts';
import type { ErpCall, ErpCommand, ErpTarget } from './target.ts';

export interface ErpGatewayOptions {
  targets: readonly ErpTarget[];
  /** Ends the gateway when it aborts. */
  signal: AbortSignal;
  /** Each call of an agent, once it is answered. */
  log: (call: ErpCall) => void;
  /** Milliseconds; only tests set them. */
  deadlines?: Partial<Deadlines>;
}

export interface Deadlines {
  /** Until a request has arrived. */
  request: number;
  /** Until the server has answered completely. */
  answer: number;
}

interface Options extends ErpGatewayOptions {
  token: string;
  deadlines: Deadlines;
}

/** A request of who has the token. */
interface Presented {
  protocol: Protocol;
  path: string;
  body: string;
  asked: Asked;
  target: ErpTarget;
}

/** Requests that are at a server at once; more wait. */
const AT_ONCE = 4;
const MAX_REQUEST = 1024 ** 2;

const PATH = /^\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(\/[\w./]+)$/;

export function answerer({ targets, signal, log, token, deadlines }: Options) {
  const running = new Set<Promise<unknown>>();
  const enter = concurrencyLimit(AT_ONCE);
  const read = readingFor(randomUUID());
  const limits = { signal, timeout: deadlines.answer };
  const signIn = signingIn(read, limits);
  const permit = permitting(read, limits);

  async function answer(incoming: IncomingMessage): Promise<Shown> {
    const [, id, path = ''] = PATH.exec(incoming.url ?? '') ?? [];
    const target = targets.find((each) => each.id === id);
    const command = commandIn(path);
    if (command !== undefined && target !== undefined && incoming.method === 'POST')
      return await commanded(incoming, target, command);
    const protocol = protocolOf(path);
    if (incoming.method !== 'POST' || target === undefined || protocol === undefined)
      throw new Refusal(
        404,
        'There is nothing at this address: GUILDHALL_ERP lists what there is.',
      );
    let asked: Asked | undefined;
    try {
      if (signal.aborted) throw new Refusal(503, 'The turn has ended.');
      const { presentedIn } = protocol;
      if (presentedIn !== undefined) requireToken(presentedIn(incoming.headers));
      const body = await bodyOf(incoming, deadlines.request);
      asked = await read('request', { path, body });
      // Tells no more than GUILDHALL_ERP does, and clients ask for it before they sign in.
      if (asked.what === 'version') return protocol.value(versionOf(target), asked);
      if (presentedIn === undefined) requireToken(asked.presented);
      return await placed({ protocol, path, body, asked, target });
    } catch (error) {
      if (error instanceof Refusal) return protocol.refusal(error, asked);
      throw error;
    }
  }

  /** A command, which counts and is logged as a call. */
  async function commanded(incoming: IncomingMessage, known: ErpTarget, what: ErpCommand['what']) {
    requireToken(bearerOf(incoming.headers));
    const command = readCommand(what, await bodyOf(incoming, deadlines.request));
    const leave = await enter();
    const began = performance.now();
    let [passed, status] = [false, 500];
    try {
      if (signal.aborted) throw new Refusal(503, 'The turn has ended.');
      const target = await currentOf(known);
      return await runCommand(target, command, signal, () => {
        passed = true;
        status = 200;
      });
    } catch (error) {
      status = error instanceof Refusal ? error.status : 500;
      throw error;
    } finally {
      leave();
      log({
        target: { id: known.id, name: known.name },
        kind: known.kind,
        model: 'odoo',
        method: what,
        allowed: passed,
        status,
        ms: Math.round(performance.now() - began),
      });
    }
  }

  function requireToken(presented: string | undefined): void {
    if (isToken(token, presented)) return;
    throw new Refusal(401, 'The password, or bearer token, is the value of GUILDHALL_ERP_TOKEN.');
  }

  /** Who has no token takes up no place, nor does a request that has not arrived. */
  async function placed(presented: Presented): Promise<Shown> {
    const leave = await enter();
    try {
      if (signal.aborted) throw new Refusal(503, 'The turn has ended.');
      return await allowed(presented);
    } finally {
      leave();
    }
  }

  async function allowed({ protocol, path, body, asked, target: known }: Presented) {
    if (asked.what === 'authenticate') {
      const target = await currentOf(known);
      return protocol.value((await signIn(target)).uid, asked);
    }
    const call = asked.what as Called;
    const began = performance.now();
    const noted = (passed: boolean, status: number) =>
      log({
        target: { id: known.id, name: known.name },
        kind: known.kind,
        model: call.model.slice(0, 128),
        method: call.method.slice(0, 100),
        allowed: passed,
        status,
        ms: Math.round(performance.now() - began),
      });
    let passed = false;
    try {
      const target = await currentOf(known);
      const user = async () =>
        protocol.needsUser ? signIn(target) : { target, uid: 0, database: target.database };
      const encoded = await permit({ protocol, path, body, target }, user);
      const signedIn = await user();
      const sent = protocol.request(call, encoded, signedIn);
      passed = true;
      const got = await passOn(target, sent, limits);
      const { status, headers, body: bytes } = got;
      const answer = { status, headers, body: bytes };
      const shown = await read('answer', { path, asked, answer, secret: target.secret });
      noted(true, status);
      return shown;
    } catch (error) {
      noted(passed, error instanceof Refusal ? error.status : 500);
      throw error;
    }
  }

  return {
    answer(incoming: IncomingMessage): Promise<Shown> {
      const work = answer(incoming);
      running.add(work);
      return work.finally(() => running.delete(work));
    },
    async settled(): Promise<void> {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

/** What the target is now. Throws Refusal once the agent may not use it. */
async function currentOf(known: ErpTarget): Promise<ErpTarget> {
  const target = known.current === undefined ? known : await known.current();
  if (target !== undefined) return target;
  throw known.kind === 'instance' ? new Refusal(503, NOT_RUNNING) : new Refusal(403, ENDED);
}

const versionOf = ({ erpVersion = '' }: ErpTarget) => ({
  server_version: erpVersion,
  server_serie: erpVersion,
  protocol_version: 1,
  server_version_info: erpVersion.split('.').map(Number).filter(Number.isInteger),
});

async function bodyOf(incoming: IncomingMessage, limit: number): Promise<string> {
  const late = setTimeout(() => incoming.destroy(), limit);
  try {
    return await textOf(incoming, MAX_REQUEST);
  } catch (error) {
    if (error instanceof TooLarge) throw new Refusal(413, 'A request may have 1 MiB.');
    throw error;
  } finally {
    clearTimeout(late);
  }
}
