import type { components } from '@guildhall/client';
import type { Purpose } from '../../data/network.ts';
import type { Story } from './stories.ts';

export type Message = components['schemas']['Message'];
type AgentRequest = components['schemas']['AgentRequest'];
type ListedVersion = components['schemas']['PlanVersionListed'];

/** A step of the agent: a call of a tool, with what became of it. */
export interface Step {
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

/** A host that was refused, which an admin can add to the list of the project. */
interface RefusedHost {
  host: string;
  purpose: Purpose;
}

interface Place {
  key: string;
  at: string;
}

/** What stands in the conversation, in order. */
export type Item =
  | (Place & { kind: 'person'; message: Message })
  | (Place & { kind: 'agent' | 'thought'; text: string; messageId?: string })
  | (Place & { kind: 'step'; step: Step })
  | (Place & { kind: 'setup'; setup: Setup })
  | (Place & { kind: 'turn'; text: string })
  | (Place & { kind: 'story'; story: Story })
  | (Place & { kind: 'act'; text: string; by?: string })
  | (Place & { kind: 'note'; text: string; wrong?: boolean; refused?: RefusedHost; log?: boolean })
  | (Place & { kind: 'call'; text: string; wrong: boolean })
  | Group;

/** Steps that follow each other, folded into one line. */
export type Group = Place & { kind: 'group'; items: readonly Item[] };

/** One item for each answer of the API, so that what has not changed is not drawn again. */
function once<Key extends object>(make: (key: Key) => Item): (key: Key) => Item {
  const made = new WeakMap<Key, Item>();
  return (key) => {
    const item = made.get(key) ?? make(key);
    made.set(key, item);
    return item;
  };
}

const ofMessage = once<Message>((message) => ({
  kind: 'person',
  key: `message ${message.number}`,
  at: message.created_at,
  message,
}));

const ofApproval = once<ListedVersion>(
  ({ version, approved_at = '', approved_by_user_id: by, approval_source }) => ({
    kind: 'act',
    key: `approval ${version}`,
    at: approved_at,
    text:
      approval_source === 'policy'
        ? `Version ${version} is approved by the settings of the project`
        : `approved version ${version}`,
    ...(by !== undefined && { by }),
  }),
);

const ofRevision = once<ListedVersion>(({ version, created_at, author_user_id: by }) => ({
  kind: 'act',
  key: `revision ${version}`,
  at: created_at,
  text: `wrote version ${version} of the plan`,
  ...(by !== undefined && { by }),
}));

const ofAnswer = once<AgentRequest>((request) => {
  const { id, title, options, answer, ended_at = '', answered_by_user_id: by } = request;
  const chosen = options.find((option) => option.id === answer?.option_id)?.name ?? answer?.text;
  return {
    kind: 'act',
    key: `answer ${id}`,
    at: ended_at,
    text: `answered “${chosen ?? ''}” to “${title}”`,
    ...(by !== undefined && { by }),
  };
});

/** What people have written and done, in the order of time. */
export function ofPeople(
  messages: readonly Message[],
  versions: readonly ListedVersion[],
  requests: readonly AgentRequest[],
): Item[] {
  return [
    ...messages.filter(({ role }) => role === 'user').map(ofMessage),
    ...versions.filter(({ approved_at }) => approved_at !== undefined).map(ofApproval),
    ...versions.filter(({ author }) => author === 'person').map(ofRevision),
    ...requests.filter(({ status }) => status === 'answered').map(ofAnswer),
  ].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/** Two lists that are in the order of time each, as one. */
export function merged(some: readonly Item[], others: readonly Item[]): Item[] {
  const all: Item[] = [];
  let next = 0;
  let at = others.length > 0 ? Date.parse(others[0]?.at ?? '') : Number.POSITIVE_INFINITY;
  for (const item of some) {
    while (next < others.length && Date.parse(item.at) > at) {
      all.push(others[next] as Item);
      next += 1;
      at = Date.parse(others[next]?.at ?? '');
    }
    all.push(item);
  }
  return [...all, ...others.slice(next)];
}

const FOLDED = new Set<Item['kind']>(['step', 'thought', 'call']);
/** So many of them stay as they are. */
const APART = 2;

/**
 * Steps that follow each other become one item. A group that holds what it held `before` is the same
 * object.
 */
export function folded(items: readonly Item[], before: Map<string, Group>): Item[] {
  const all: Item[] = [];
  let run: Item[] = [];
  const end = () => {
    const [first] = run;
    if (first === undefined) return;
    if (run.length <= APART) all.push(...run);
    else {
      const key = `group ${first.key}`;
      const known = before.get(key);
      const group: Group =
        known !== undefined && isSame(known.items, run)
          ? known
          : { kind: 'group', key, at: first.at, items: run };
      before.set(key, group);
      all.push(group);
    }
    run = [];
  };
  for (const item of items)
    if (FOLDED.has(item.kind)) run.push(item);
    else {
      end();
      all.push(item);
    }
  end();
  return all;
}

const isSame = (some: readonly Item[], others: readonly Item[]) =>
  some.length === others.length && some.every((item, index) => item === others[index]);
