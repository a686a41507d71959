import { posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ClientContext, methods } from '@agentclientprotocol/sdk';
import type { PodProcess } from '../../platform/pods/pod.ts';
import type { AgentUpdate, Deadlines, LinkedFile, StartAgent, TurnResult, Usage } from './agent.ts';
import { fields, readUpdate } from './read-update.ts';
import type { Requests } from './requests.ts';
import { addUsage, usageMeter } from './usage.ts';

/** The turns of one session: one prompt at a time, from its text to its result. */

interface Options {
  process: PodProcess;
  /** As the agent sees it. */
  workTree: string;
  requests: Requests;
  deadlines: Deadlines;
  /** The last lines of standard error. */
  lastWords: () => string;
  hide: (text: string) => string;
  onUpdate: StartAgent['onUpdate'];
  spentBefore?: bigint;
}

interface Turn {
  /** The message that the agent is writing, or has written last. */
  text: string;
  /** Its name, where the agent names its messages. */
  messageId: string | undefined;
  /** Whether its next chunk begins another message, because a tool was called in between. */
  between: boolean;
  usage: Usage | undefined;
  cancelled: boolean;
  done: Promise<TurnResult>;
}

const MAX_TEXT = 400_000;

/** Milliseconds in which a process ends after its connection has. */
const EXIT_DELAY = 6_000;

const REASONS: Record<string, TurnResult['stopReason']> = {
  end_turn: 'done',
  max_tokens: 'max_tokens',
  max_turn_requests: 'max_tokens',
  refusal: 'refused',
  cancelled: 'cancelled',
};

export function turns(options: Options) {
  const { process, workTree, requests, deadlines, lastWords, hide, onUpdate, spentBefore } =
    options;
  let meter = usageMeter(spentBefore);
  let session: { agent: ClientContext; id: string } | undefined;
  let turn: Turn | undefined;
  let alive = true;
  void process.exited.then(() => {
    alive = false;
  });

  const report = (update: AgentUpdate) => {
    if (turn === undefined) return;
    if (update.type === 'message') addText(turn, update);
    if (update.type === 'tool_call') turn.between = true;
    if (update.type === 'tool_call') requests.calls.set(update.toolCallId, update);
    if (update.type === 'usage') turn.usage = addUsage(turn.usage, update.usage);
    onUpdate(update);
  };

  const messageOf = (error: unknown): string =>
    hide(error instanceof Error ? error.message : String(error)).slice(0, 2_000);

  const tellUsage = (usage: Usage | undefined) => {
    if (usage !== undefined) report({ type: 'usage', usage });
  };

  const ask = async (prompt: ReturnType<typeof promptOf>, current: Turn): Promise<TurnResult> => {
    const { agent, id } = session as NonNullable<typeof session>;
    const end = process.exited.then(({ code, signal, reason }) => {
      const how = signal ?? `code ${code}`;
      throw new Error(reason ?? `The agent has ended (${how}). ${lastWords()}`.trim());
    });
    end.catch(() => undefined);
    try {
      const answered = agent.request<unknown>(methods.agent.session.prompt, {
        sessionId: id,
        prompt,
      });
      const result = await Promise.race([answered, end]);
      tellUsage(meter.result(result));
      const reason = REASONS[String(fields(result).stopReason)];
      return finish(current, reason === undefined ? unknownEnd(result) : { stopReason: reason });
    } catch (error) {
      if (isAnswer(error))
        return finish(current, { stopReason: 'failed', error: messageOf(error) });
      // The connection closes as the process ends: its end says more.
      alive = false;
      const after = new Promise((resolve) => setTimeout(resolve, EXIT_DELAY, error).unref());
      const cause = await Promise.race([end, after]).catch((exit) => exit);
      return finish(current, { stopReason: 'failed', error: messageOf(cause) });
    }
  };

  const finish = (
    { text, usage, cancelled }: Turn,
    how: { stopReason: TurnResult['stopReason']; error?: string },
  ): TurnResult => {
    const shared = { text: text.trim(), ...(usage === undefined ? {} : { usage }), alive };
    // Whatever an agent answers to a cancellation, the turn was cancelled.
    return cancelled ? { ...shared, stopReason: 'cancelled' } : { ...shared, ...how };
  };

  return {
    /** Updates count from now on. A session that is not `resumed` has cost nothing so far. */
    begin(agent: ClientContext, { sessionId, resumed }: { sessionId: string; resumed: boolean }) {
      if (!resumed) meter = usageMeter();
      session = { agent, id: sessionId };
    },

    onUpdate(params: unknown) {
      const { sessionId, update } = fields(params);
      // A session that is loaded may report what it had cost before.
      if (session === undefined) meter.update(update);
      if (session === undefined || sessionId !== session.id) return;
      if (fields(update).sessionUpdate === 'usage_update') return tellUsage(meter.update(update));
      const read = readUpdate(update);
      if (read !== undefined) report(read);
    },

    prompt(
      text: string,
      instructions?: string,
      files: readonly LinkedFile[] = [],
    ): Promise<TurnResult> {
      if (turn !== undefined) throw new Error('a turn runs: wait until it has ended');
      const current: Turn = {
        text: '',
        messageId: undefined,
        between: false,
        usage: undefined,
        cancelled: false,
        done: undefined as never,
      };
      turn = current;
      const texts = instructions === undefined ? [text] : [instructions, text];
      current.done = ask(promptOf(texts, files, workTree), current).finally(() => {
        requests.withdraw();
        turn = undefined;
      });
      return current.done;
    },

    async cancel(): Promise<void> {
      const current = turn;
      if (current === undefined || session === undefined) return;
      current.cancelled = true;
      requests.withdraw();
      const { agent, id } = session;
      const notify = agent.notify(methods.agent.session.cancel, { sessionId: id });
      void notify.catch(() => undefined);
      const late = setTimeout(() => void process.kill(), deadlines.cancel);
      await current.done.finally(() => clearTimeout(late));
    },
  };
}

/** An agent that names its messages may send notices in between, which have no name. */
function addText(turn: Turn, { text, messageId }: { text: string; messageId?: string }): void {
  if (turn.messageId !== undefined && messageId === undefined) return;
  const before = turn.between || turn.messageId !== messageId ? '' : turn.text;
  // Cutting again for each further chunk would copy all of it each time.
  turn.text = before.length < MAX_TEXT ? (before + text).slice(0, MAX_TEXT) : before;
  turn.messageId = messageId;
  turn.between = false;
}

/** Whether the agent itself has answered with an error; otherwise nothing will answer any more. */
const isAnswer = (error: unknown): boolean => typeof fields(error).code === 'number';

const unknownEnd = (result: unknown) => ({
  stopReason: 'failed' as const,
  error: `The agent ended the turn for an unknown reason: ${JSON.stringify(fields(result).stopReason)}`,
});

/**
 * The blocks of a prompt: the texts, then a link to each file. Every agent takes these two kinds of
 * blocks; others depend on what it can do.
 */
const promptOf = (texts: readonly string[], files: readonly LinkedFile[], workTree: string) => [
  ...texts.map((text) => ({ type: 'text' as const, text })),
  ...files.map(({ path, name, mediaType, size }) => ({
    type: 'resource_link' as const,
    uri: pathToFileURL(posix.join(workTree, path)).href,
    name,
    mimeType: mediaType,
    size,
  })),
];
