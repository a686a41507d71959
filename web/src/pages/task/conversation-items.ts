import type { components } from '@guildhall/client';
import { isPurpose, type Purpose } from '../../data/network.ts';
import type { TaskEvent } from '../../data/task-events.ts';

export type Message = components['schemas']['Message'];

/** A step of the agent: a call of a tool, with what became of it. */
export interface Step {
  id: string;
  title: string;
  status: string;
  content: readonly Record<string, unknown>[];
}

/** The setup of a pod before a turn. */
export interface Setup {
  /** In one line, with how long it took. */
  title: string;
  state: 'running' | 'done' | 'failed' | 'interrupted';
  log: string;
}

/** What stands in the conversation, in order. */
export type Item =
  | { kind: 'person'; key: string; at: string; message: Message }
  | { kind: 'agent' | 'thought'; key: string; at: string; text: string; messageId?: string }
  | { kind: 'step'; key: string; at: string; step: Step }
  | { kind: 'setup'; key: string; at: string; setup: Setup }
  | { kind: 'turn'; key: string; at: string; text: string }
  | { kind: 'note'; key: string; at: string; text: string; wrong?: boolean; refused?: RefusedHost };

/** A host that was refused, which an admin can add to the list of the project. */
export interface RefusedHost {
  host: string;
  purpose: Purpose;
}

interface HostUse {
  host: string | null;
  requests: number;
  bytes_sent: number;
  bytes_received: number;
}

interface Todo {
  content: string;
  status: string;
}

interface Payload {
  text?: string;
  messageId?: string;
  toolCallId?: string;
  title?: string;
  status?: string;
  content?: Record<string, unknown>[];
  kind?: string;
  number?: number;
  state?: string;
  entries?: Todo[];
  id?: string;
  branch?: string;
  path?: string;
  name?: string;
  base?: string;
  conclusion?: string;
  stage?: string;
  failure?: { message: string };
  target?: { name: string };
  model?: string;
  method?: string;
  allowed?: boolean;
  network?: { allow?: unknown; purpose?: unknown };
  hosts?: HostUse[];
  command?: string;
  seconds?: number;
  log?: string;
}

/** What happens outside of the conversation, in words. */
const WORDS: Record<string, (payload: Payload) => string | undefined> = {
  pull_request: ({ number, state, base }) => `Pull request #${number} into ${base}: ${state}`,
  checks: ({ state }) => (state === 'none' ? undefined : `Checks: ${state}`),
  check: ({ name, conclusion }) =>
    conclusion && `Check ${name}: ${conclusion.replaceAll('_', ' ')}`,
  fix_checks: () => 'The agent is asked to fix the checks',
  merge: ({ state, branch, failure }) =>
    `Merge into ${branch}: ${state}${failure ? `. ${failure.message}` : ''}`,
  deploy: ({ state, stage }) => `Deploy to ${stage}: ${state}`,
  network: ({ hosts = [] }) =>
    `Network: ${hosts
      .slice(0, MOST_HOSTS)
      .map(
        ({ host, requests, bytes_sent, bytes_received }) =>
          `${host ?? 'other hosts'} ${requests}×, ${sizeOf(bytes_sent)} sent, ${sizeOf(bytes_received)} received`,
      )
      .join('; ')}`,
  erp_call: ({ target, model = '', method = 'sign in', allowed, ...answer }) => {
    const failed = Number(answer.status) >= 400 ? `, answered with ${answer.status}` : '';
    const outcome = allowed ? `allowed${failed}` : 'refused';
    return `${`${method} ${model}`.trim()} on ${target?.name}: ${outcome}`;
  },
};

/** Hosts of a turn that are named. */
const MOST_HOSTS = 20;

const sizeOf = (bytes: number): string =>
  bytes < 1024 ** 2
    ? `${Math.ceil(bytes / 1024)} KiB`
    : `${Math.ceil(bytes / 1024 ** 2).toLocaleString('en')} MiB`;

const TURNS: Record<string, string> = { plan: 'The agent plans', build: 'The agent builds' };

/** The conversation that messages and events make, and the agent's latest list of things to do. */
export function conversation(
  messages: readonly Message[],
  events: readonly TaskEvent[],
): { items: Item[]; todo: readonly Todo[] } {
  const items: Item[] = messages
    .filter(({ role }) => role === 'user')
    .map((message) => ({
      kind: 'person',
      key: `message ${message.number}`,
      at: message.created_at,
      message,
    }));
  const known: Known = { steps: new Map(), setups: new Map() };
  let todo: readonly Todo[] = [];
  let before: Item | undefined;
  for (const event of events) {
    const payload = (event.payload ?? {}) as Payload;
    if (event.type === 'todo' && Array.isArray(payload.entries))
      todo = payload.entries.filter(({ content }) => typeof content === 'string');
    const item = shownOf(event, payload, before, known);
    if (item === undefined) continue;
    items.push(item);
    before = item;
  }
  return { items: items.sort((a, b) => Date.parse(a.at) - Date.parse(b.at)), todo };
}

/** What later events change, by ids. */
interface Known {
  steps: Map<string, Step>;
  setups: Map<string, Setup>;
}

/** The item that an event adds; none if it continues the one before, or is not shown. */
function itemOf(
  event: TaskEvent,
  payload: Payload,
  before: Item | undefined,
  { steps, setups }: Known,
): Item | undefined {
  const place = { key: `event ${event.seq}`, at: event.created_at };
  const step = `${event.turn_id} ${payload.toolCallId}`;
  switch (event.type) {
    case 'message':
    case 'thought': {
      const kind = event.type === 'message' ? 'agent' : 'thought';
      // A notice between the pieces of a message has another name, or none.
      if (before?.kind === kind && before.messageId === payload.messageId) {
        before.text += payload.text ?? '';
        return undefined;
      }
      const { text = '', messageId } = payload;
      return { kind, ...place, text, ...(messageId === undefined ? {} : { messageId }) };
    }
    case 'tool_call': {
      const { title = 'A step', status = 'pending', content = [] } = payload;
      const made: Step = { id: step, title, status, content };
      steps.set(step, made);
      return { kind: 'step', ...place, step: made };
    }
    case 'tool_call_update': {
      const known = steps.get(step);
      if (known === undefined) return undefined;
      known.status = payload.status ?? known.status;
      known.title = payload.title ?? known.title;
      known.content = [...known.content, ...(payload.content ?? [])];
      return undefined;
    }
    case 'setup': {
      const made = setups.get(`${payload.id}`);
      if (made !== undefined) {
        Object.assign(made, endedSetup(payload));
        return undefined;
      }
      const begun: Setup = { title: titleOf(payload), state: 'running', log: '' };
      setups.set(`${payload.id}`, begun);
      return { kind: 'setup', ...place, setup: begun };
    }
    case 'turn_started':
      // A worker that died in a setup says nothing of its end.
      for (const setup of setups.values())
        if (setup.state === 'running') setup.state = 'interrupted';
      return { kind: 'turn', ...place, text: TURNS[payload.kind ?? ''] ?? 'The agent works' };
    case 'turn_ended':
      return payload.state === 'failed'
        ? { kind: 'note', ...place, text: 'This turn failed.', wrong: true }
        : undefined;
    case 'commit':
      return {
        kind: 'note',
        ...place,
        text: `Commit ${payload.id?.slice(0, 10)} on ${payload.branch}`,
      };
    case 'artifact':
      return { kind: 'note', ...place, text: `File ${payload.path ?? payload.name}` };
    case 'notice': {
      const { allow: host, purpose } = payload.network ?? {};
      const refused =
        typeof host === 'string' && isPurpose(purpose) ? { refused: { host, purpose } } : {};
      return { kind: 'note', ...place, text: payload.text ?? '', ...refused };
    }
    default: {
      const text = WORDS[event.type]?.(payload);
      const failed = [payload.state, payload.conclusion].some((word) => word?.startsWith('fail'));
      const wrong = failed || payload.allowed === false;
      return text === undefined ? undefined : { kind: 'note', ...place, text, wrong };
    }
  }
}

const titleOf = ({ command = '' }: Payload) => `Setup: ${command}`;

function endedSetup(payload: Payload): Setup {
  const { conclusion, seconds = 0, log = '' } = payload;
  const took = seconds < 10 ? seconds.toFixed(1) : seconds.toFixed(0);
  const how = conclusion === 'restored' ? ' (from the cache)' : '';
  const failed = conclusion === 'failure' || conclusion === 'timed_out';
  const title = `${titleOf(payload)} — ${took} s${how}${failed ? ', failed' : ''}`;
  return { title, state: failed ? 'failed' : 'done', log };
}

/** The same, and a note for an event that is not as it should be: agents write much of them. */
function shownOf(
  event: TaskEvent,
  payload: Payload,
  before: Item | undefined,
  known: Known,
): Item | undefined {
  try {
    const item = itemOf(event, payload, before, known);
    if (item !== undefined && 'text' in item && typeof item.text !== 'string')
      throw new TypeError();
    return item;
  } catch {
    const place = { key: `event ${event.seq}`, at: event.created_at };
    return { kind: 'note', ...place, text: 'An event that cannot be shown.', wrong: true };
  }
}
