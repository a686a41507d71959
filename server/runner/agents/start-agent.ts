import { setTimeout as pause } from 'node:timers/promises';
import { type ClientConnection, client, methods } from '@agentclientprotocol/sdk';
import type { PodProcess } from '../../platform/pods/pod.ts';
import { AgentError, type AgentSession, type Deadlines, type StartAgent } from './agent.ts';
import { openSession } from './open-session.ts';
import { requestsOf } from './requests.ts';
import { eachLine, type Reading, transportOf } from './transport.ts';
import { turns } from './turns.ts';

const DEADLINES: Deadlines = { start: 60_000, cancel: 8_000 };

/**
 * Milliseconds for the end of a process to be known: after its connection has closed, which is the
 * first sign of it, and after another failure.
 */
const EXIT_DELAYS = { closed: 10_000, open: 300 };

/** What is kept of the last lines that an agent has written to standard error. */
const LAST_LINES = 5;

/**
 * Starts an agent in a pod and opens a session in the mode and with the model that were asked for.
 * Rejects with AgentError; the agent has ended then.
 */
export async function startAgent(options: StartAgent): Promise<AgentSession> {
  const {
    agent,
    pod,
    mode,
    signal,
    sockets = {},
    onNotice = () => undefined,
    hide = (text) => text,
    room = () => undefined,
  } = options;
  if (signal.aborted) throw aborted();
  const deadlines = { ...DEADLINES, ...options.deadlines };
  const { command, args } = (pod.hostWorkTree === undefined && agent.inImage) || agent;
  const started = await pod
    .exec({
      command,
      args,
      env: agent.env,
      sockets,
      signal,
      readable: agent.readable,
      tree: mode === 'plan' ? 'read-only' : 'writable',
    })
    .catch((cause) => {
      throw new AgentError('not_started', `${agent.id} could not be started`, { cause });
    });
  const ending = new AbortController();
  const kill = () => {
    ending.abort();
    return started.kill();
  };
  const process = { ...started, kill };
  const lastWords = errorsOf(process, { onNotice, hide });
  const requests = requestsOf(options);
  const { workTree } = pod;
  const work = turns({ ...options, hide, process, workTree, requests, deadlines, lastWords });
  const connection = connect(process, requests, {
    onUpdate: work.onUpdate,
    onNotice,
    room,
    ending: AbortSignal.any([signal, ending.signal]),
  });
  void process.exited.then(() => connection.close());
  try {
    const opened = await within(
      openSession(connection.agent, options),
      deadlines.start,
      process.exited.then(() => {
        throw signal.aborted ? aborted() : ended(agent.id, lastWords());
      }),
    );
    // What was replayed of an old session is no news.
    work.begin(connection.agent, opened);
    return {
      sessionId: opened.sessionId,
      resumed: opened.resumed,
      prompt: work.prompt,
      cancel: work.cancel,
      close: () => process.kill(),
      ended: process.exited.then(() => undefined),
    };
  } catch (error) {
    const delay = connection.signal.aborted ? EXIT_DELAYS.closed : EXIT_DELAYS.open;
    const over = await Promise.race([process.exited.then(() => true), pause(delay, false)]);
    await process.kill();
    if (error instanceof AgentError) throw error;
    throw over && !signal.aborted ? ended(agent.id, lastWords()) : failure(agent.id, error, hide);
  }
}

function connect(
  process: PodProcess,
  requests: ReturnType<typeof requestsOf>,
  reading: Reading,
): ClientConnection {
  const asIs = (params: unknown) => params;
  return client({ name: 'guildhall' })
    .onNotification('*', () => undefined)
    .onRequest<unknown, unknown>(
      methods.client.session.requestPermission,
      asIs,
      ({ params, signal }) => requests.permission(params, signal),
    )
    .onRequest<unknown, unknown>(methods.client.elicitation.create, asIs, ({ params, signal }) =>
      requests.question(params, signal),
    )
    .connect(transportOf(process, reading));
}

/** Passes on what an agent writes to standard error, and keeps the last of it for its end. */
function errorsOf(
  process: PodProcess,
  { onNotice, hide }: Required<Pick<StartAgent, 'onNotice' | 'hide'>>,
): () => string {
  const lines: string[] = [];
  eachLine(process.stderr, 65_536, (line) => {
    lines.push(hide(line).slice(0, 300));
    if (lines.length > LAST_LINES) lines.shift();
    onNotice(line);
  });
  return () => lines.join('\n');
}

const aborted = () => new AgentError('aborted', 'the turn was ended before its agent had started');

const ended = (id: string, words: string) =>
  new AgentError('not_started', `${id} ended as soon as it was started. ${words}`.trim());

function failure(id: string, error: unknown, hide: (text: string) => string): AgentError {
  const message = hide(error instanceof Error ? error.message : String(error));
  return message === 'timeout'
    ? new AgentError('timeout', `${id} does not answer`, { cause: error })
    : new AgentError('no_session', `${id} opens no session: ${message}`, { cause: error });
}

/**
 * The result of `work`, unless `limit` milliseconds pass or `end` rejects first: then it rejects,
 * with an Error `timeout` or with that of `end`.
 */
async function within<T>(work: Promise<T>, limit: number, end: Promise<never>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('timeout')), limit);
  });
  end.catch(() => undefined);
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late, end]);
  } finally {
    clearTimeout(timer);
  }
}
