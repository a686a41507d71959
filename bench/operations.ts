import type { LoadRequest } from './load.ts';
import type { Known } from './world.ts';

export type OperationName = 'P' | 'I' | 'T' | 'A' | 'A*' | 'F';

/** One measured operation: its requests, and how to recognize a right answer. */
export interface Operation {
  name: OperationName;
  title: string;
  /** bench.md's goal for the ratio to the floor of its own SQL. */
  goal: number;
  /** The number of different requests; every variant sends the same mix. */
  size: number;
  request(n: number): Request;
  /** Each request has its effect only once: a run takes this many, all different. */
  once?: number;
  /** Request n + undo reverses what request n changed, so that every one of the mix is a change. */
  undo?: number;
}

export interface Request {
  method: string;
  path: string;
  key: string;
  body?: unknown;
  check(body: string): string | undefined;
}

const SAMPLES = 64;

/** The operations of bench.md on this data. */
export function operations({ workspaces }: Known): Operation[] {
  let topUps = 0;
  const at = <Item>(list: readonly Item[], n: number) => list[n % list.length] as Item;
  const pick = (n: number) => at(workspaces, n);
  const field = (name: string, expected: unknown) => (body: string) =>
    JSON.parse(body)[name] === expected ? undefined : `${name} should be ${expected}: ${body}`;
  const rows = (count: number) => (body: string) => {
    const list = JSON.parse(body);
    return (list.members ?? list).length === count ? undefined : `${count} rows expected: ${body}`;
  };
  const tasks = workspaces.flatMap(({ key, tasks }) => tasks.map((id) => ({ key, id })));
  const approve = (n: number): Omit<Request, 'check'> => {
    const { key, id } = at(tasks, n);
    return { method: 'POST', path: `/api/tasks/${id}/plan/approve`, key };
  };
  return [
    {
      name: 'P',
      title: "list a project's people, 20 rows",
      goal: 0.75,
      size: SAMPLES,
      request: (n) => ({
        method: 'GET',
        path: `/api/projects/${at(pick(n).projects, n)}/people`,
        key: pick(n).key,
        check: rows(20),
      }),
    },
    {
      name: 'I',
      title: 'list pending invitations, 10 rows',
      goal: 0.7,
      size: SAMPLES,
      request: (n) => ({
        method: 'GET',
        path: `/api/organizations/${pick(n).id}/invitations`,
        key: pick(n).key,
        check: rows(10),
      }),
    },
    {
      name: 'T',
      title: 'update a team',
      goal: 0.7,
      size: 2 * SAMPLES,
      undo: SAMPLES,
      request: (n) => {
        const { id, key, teams } = pick(n % SAMPLES);
        const team = at(teams, 0);
        return {
          method: 'PUT',
          path: `/api/organizations/${id}/teams/${team}`,
          key,
          body: { name: 'Team 0', can_merge_staging: n < SAMPLES },
          check: field('id', team),
        };
      },
    },
    {
      name: 'A',
      title: 'approve a plan that is approved',
      goal: 0.7,
      size: SAMPLES,
      request: (n) => ({ ...approve(n * 97), check: field('newly_approved', false) }),
    },
    {
      name: 'A*',
      title: 'approve a plan, each for the first time',
      goal: 0.6,
      size: tasks.length,
      once: 2_000,
      request: (n) => ({ ...approve(n), check: field('newly_approved', true) }),
    },
    {
      name: 'F',
      title: 'add funds, on the sandbox',
      goal: 0.6,
      size: Number.MAX_SAFE_INTEGER,
      once: 400,
      request: (n) => ({
        method: 'POST',
        path: '/api/billing/add-funds',
        key: pick(n % SAMPLES).key,
        // Amounts differ, also from one round to the next: an identical request within ten seconds
        // gets the charge that is there (ruling 6). They are small, so that no balance reaches its
        // limit however often this is run on the same data.
        body: {
          amount: (100 + ((topUps++ * 7919) % 2_000)) / 100,
          payment_method_id: pick(n % SAMPLES).card,
        },
        check: field('status', 'succeeded'),
      }),
    },
  ];
}

/** A request as bytes. */
export function toBytes(
  { method, path, key, body }: Request,
  headers: Record<string, string> = {},
): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body);
  const lines = { host: 'bench', authorization: `Bearer ${key}`, ...headers };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  const length =
    text === ''
      ? ''
      : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`;
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${head.join('')}${length}\r\n${text}`);
}

/**
 * The mix of an operation, in the same order in every run; `from` continues where another run
 * stopped.
 */
export function mix(operation: Operation, from = 0): () => LoadRequest {
  let n = from;
  const ready = new Map<number, LoadRequest>();
  return () => {
    const at = n++ % operation.size;
    const known = ready.get(at);
    if (known !== undefined) return known;
    const request = operation.request(at);
    const made = { bytes: toBytes(request), check: request.check };
    if (operation.once === undefined) ready.set(at, made);
    return made;
  };
}
