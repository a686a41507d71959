import { isPurpose } from '../../data/network.ts';
import type { TaskEvent } from '../../data/task-events.ts';
import type { Item, Setup, Step } from './conversation-items.ts';
import { tellStory } from './stories.ts';

interface Todo {
  content: string;
  status: string;
}

interface HostUse {
  host: string | null;
  requests: number;
  bytes_sent: number;
  bytes_received: number;
}

interface Payload {
  text?: string;
  messageId?: string;
  toolCallId?: string;
  title?: string;
  status?: string;
  content?: Record<string, unknown>[];
  kind?: string;
  state?: string;
  error?: string;
  entries?: Todo[];
  id?: string;
  branch?: string;
  path?: string;
  name?: string;
  conclusion?: string;
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

/**
 * The items that the events so far have made. An item that changes becomes another object, so that the
 * page draws it again, and no other.
 */
export interface Told {
  /** How many events they are made of, and the first, by which another task is known. */
  count: number;
  first: TaskEvent | undefined;
  items: Item[];
  todo: readonly Todo[];
  /** Where what later events change stands in `items`, by the ids of these events. */
  places: Map<string, number>;
  /** The id of the last merge. */
  merge: string | undefined;
}

const nothingTold = (): Told => ({
  count: 0,
  first: undefined,
  items: [],
  todo: [],
  places: new Map(),
  merge: undefined,
});

/** Goes on from what was told `before`, if the events are those and more: ten thousand take their time. */
export function tell(before: Told | undefined, events: readonly TaskEvent[]): Told {
  const goesOn =
    before !== undefined && before.count <= events.length && before.first === events[0];
  const told = goesOn ? before : nothingTold();
  if (told.count === events.length) return told;
  const now: Told = {
    ...told,
    items: [...told.items],
    places: new Map(told.places),
    first: events[0],
    count: events.length,
  };
  for (const event of events.slice(told.count)) tellOne(now, event);
  return now;
}

/** An event that is not as it should be becomes a note: agents write much of them. */
function tellOne(told: Told, event: TaskEvent): void {
  const { items } = told;
  const length = items.length;
  try {
    add(told, event, (event.payload ?? {}) as Payload);
    const added = items[length];
    if (added !== undefined && 'text' in added && typeof added.text !== 'string')
      throw new TypeError();
  } catch {
    items.length = length;
    items.push({
      kind: 'note',
      key: `event ${event.seq}`,
      at: event.created_at,
      text: 'An event that cannot be shown.',
      wrong: true,
    });
  }
}

const TURNS: Record<string, string> = { plan: 'The agent plans', build: 'The agent builds' };

function add(told: Told, event: TaskEvent, payload: Payload): void {
  const { items, places } = told;
  const place = { key: `event ${event.seq}`, at: event.created_at };
  const step = `step ${event.turn_id} ${payload.toolCallId}`;
  const note = (text: string, wrong = false) => items.push({ kind: 'note', ...place, text, wrong });
  switch (event.type) {
    case 'message':
    case 'thought':
      addText(items, event.type === 'message' ? 'agent' : 'thought', place, payload);
      return;
    case 'tool_call': {
      const { title = 'A step', status = 'pending', content = [] } = payload;
      places.set(
        step,
        items.push({ kind: 'step', ...place, step: { title, status, content } }) - 1,
      );
      return;
    }
    case 'tool_call_update':
      change(told, step, 'step', (item) => ({ ...item, step: updated(item.step, payload) }));
      return;
    case 'setup':
      addSetup(told, place, payload);
      return;
    case 'turn_started':
      interrupt(told);
      items.push({ kind: 'turn', ...place, text: TURNS[payload.kind ?? ''] ?? 'The agent works' });
      return;
    case 'turn_ended':
      interrupt(told);
      if (payload.state !== 'failed') return;
      items.push({
        kind: 'note',
        ...place,
        text:
          payload.error === undefined ? 'This turn failed.' : `This turn failed: ${payload.error}`,
        wrong: true,
        log: true,
      });
      return;
    case 'todo':
      if (Array.isArray(payload.entries))
        told.todo = payload.entries.filter(({ content }) => typeof content === 'string');
      return;
    case 'commit':
      note(`Commit ${payload.id?.slice(0, 10)} on ${payload.branch}`);
      return;
    case 'artifact':
      note(`File ${payload.path ?? payload.name}`);
      return;
    case 'network':
      note(networkUsed(payload));
      return;
    case 'erp_call':
      items.push({ kind: 'call', ...place, ...erpCall(payload) });
      return;
    case 'notice': {
      const { allow: host, purpose } = payload.network ?? {};
      const refused =
        typeof host === 'string' && isPurpose(purpose) ? { refused: { host, purpose } } : {};
      items.push({ kind: 'note', ...place, text: payload.text ?? '', ...refused });
      return;
    }
    default:
      addStory(told, place, event);
  }
}

const updated = (step: Step, { title, status, content = [] }: Payload): Step => ({
  title: title ?? step.title,
  status: status ?? step.status,
  content: [...step.content, ...content],
});

type Kept = { key: string; at: string };

// A notice between the pieces of a message has another name, or none.
function addText(items: Item[], kind: 'agent' | 'thought', place: Kept, payload: Payload): void {
  const { text = '', messageId } = payload;
  const last = items.at(-1);
  if (last?.kind === kind && last.messageId === messageId)
    items[items.length - 1] = { ...last, text: last.text + text };
  else items.push({ kind, ...place, text, ...(messageId === undefined ? {} : { messageId }) });
}

/** What is known by this id becomes another object. */
function change<Kind extends Item['kind']>(
  { items, places }: Told,
  id: string,
  kind: Kind,
  to: (item: Extract<Item, { kind: Kind }>) => Item,
): void {
  const index = places.get(id);
  const item = index === undefined ? undefined : items[index];
  if (index !== undefined && item?.kind === kind)
    items[index] = to(item as Extract<Item, { kind: Kind }>);
}

function addSetup(told: Told, place: Kept, payload: Payload): void {
  const id = `setup ${payload.id}`;
  if (told.places.has(id)) {
    change(told, id, 'setup', (item) => ({ ...item, setup: endedSetup(payload) }));
    return;
  }
  const setup: Setup = { title: titleOf(payload), state: 'running', log: '' };
  told.places.set(id, told.items.push({ kind: 'setup', ...place, setup }) - 1);
}

/** A worker or an agent that died says nothing of the end of what it was at. */
function interrupt({ items, places }: Told): void {
  for (const index of places.values()) {
    const item = items[index];
    if (item?.kind === 'setup' && item.setup.state === 'running')
      items[index] = { ...item, setup: { ...item.setup, state: 'interrupted' } };
    if (item?.kind === 'step' && UNENDED.has(item.step.status))
      items[index] = { ...item, step: { ...item.step, status: 'interrupted' } };
  }
}

const UNENDED = new Set(['pending', 'in_progress']);

const titleOf = ({ command = '' }: Payload) => `Setup: ${command}`;

function endedSetup(payload: Payload): Setup {
  const { conclusion, seconds = 0, log = '' } = payload;
  const took = seconds < 10 ? seconds.toFixed(1) : seconds.toFixed(0);
  const how = conclusion === 'restored' ? ' (from the cache)' : '';
  const failed = conclusion === 'failure' || conclusion === 'timed_out';
  const title = `${titleOf(payload)} — ${took} s${how}${failed ? ', failed' : ''}`;
  return { title, state: failed ? 'failed' : 'done', log };
}

/** Pull requests, checks, merges and deploys: later events of the same change its line. */
function addStory(told: Told, place: Kept, event: TaskEvent): void {
  const find = (id: string) => {
    const item = told.items[told.places.get(id) ?? -1];
    return item?.kind === 'story' ? item.story : undefined;
  };
  const next = tellStory(event, find, told.merge);
  if (next === undefined) return;
  const { id, story } = next;
  if (event.type === 'merge') told.merge = id;
  if (told.places.has(id)) change(told, id, 'story', (item) => ({ ...item, story }));
  else told.places.set(id, told.items.push({ kind: 'story', ...place, story }) - 1);
}

function erpCall({ target, model = '', method = 'sign in', allowed, status }: Payload): {
  text: string;
  wrong: boolean;
} {
  const failed = Number(status) >= 400 ? `, answered with ${status}` : '';
  const outcome = allowed ? `allowed${failed}` : 'refused';
  return {
    text: `${`${method} ${model}`.trim()} on ${target?.name}: ${outcome}`,
    wrong: allowed === false,
  };
}

/** Hosts of a turn that are named. */
const MOST_HOSTS = 20;

const networkUsed = ({ hosts = [] }: Payload): string =>
  `Network: ${hosts
    .slice(0, MOST_HOSTS)
    .map(
      ({ host, requests, bytes_sent, bytes_received }) =>
        `${host ?? 'other hosts'} ${requests}×, ${sizeOf(bytes_sent)} sent, ${sizeOf(bytes_received)} received`,
    )
    .join('; ')}`;

const sizeOf = (bytes: number): string =>
  bytes < 1024 ** 2
    ? `${Math.ceil(bytes / 1024)} KiB`
    : `${Math.ceil(bytes / 1024 ** 2).toLocaleString('en')} MiB`;
