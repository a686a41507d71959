import assert from 'node:assert/strict';
import type { Permission } from '../../access/roles.ts';
import type { Route } from '../../http/route.ts';
import type { User } from '../fixtures.ts';
import type { Harness, Reply } from '../harness.ts';

/** A workspace with everything in it that an operation can be about, and somebody who calls. */
export interface Tenant {
  owner: User;
  caller: User;
  /** A member, and no more. */
  successor: User;
  /** Of the caller. */
  card: string;
  /** By the names of path parameters. */
  ids: Record<string, string>;
}

/** What the caller is: in the workspace, or in its one project alone, or nothing. */
export type Standing = 'owner' | 'admin' | 'member' | 'viewer' | 'collaborator' | 'stranger';

/** How an operation is called well, and what the tables of the tests have to know of it beside its schemas. */
export interface WellCalled {
  /** What the caller's role must carry; none where everybody may, with what is their own. */
  permission?: Permission;
  query?(tenant: Tenant): Record<string, string>;
  body?(tenant: Tenant): Record<string, unknown>;
  /** Every id beside those of the path, and how another's and an unknown one are refused (rulings 3.2, 5.3, 6). */
  ids?: {
    in: 'query' | 'body';
    name: string;
    kind: 'user' | 'card';
    foreign: string;
    unknown: string;
  }[];
}

const card = {
  in: 'body',
  name: 'payment_method_id',
  kind: 'card',
  foreign: '403 payment_method_forbidden',
  unknown: '404 payment_method_not_found',
} as const;
const charge = { body: (t: Tenant) => ({ amount: 25, payment_method_id: t.card }), ids: [card] };
const autoReload = {
  body: (t: Tenant) => ({ threshold: 10, amount: 25, monthly_cap: 200, payment_method_id: t.card }),
  ids: [card],
};
const person = { kind: 'user', foreign: '422 not_a_member', unknown: '422 not_a_member' } as const;

/** A row for each operation, by operationId. `wellCalled` fails for one that has none. */
const ROWS: Record<string, WellCalled> = {
  delete_workspace: {
    permission: 'delete_workspace',
    query: ({ successor }) => ({ transfer_balance_to_user_id: successor.id }),
    ids: [{ in: 'query', name: 'transfer_balance_to_user_id', ...person }],
  },
  transfer_ownership: {
    permission: 'transfer_ownership',
    body: ({ successor }) => ({ new_owner_user_id: successor.id, force: false }),
    ids: [{ in: 'body', name: 'new_owner_user_id', ...person }],
  },
  update_team: {
    permission: 'update_team',
    body: () => ({ name: 'Renamed', can_merge_production: true }),
  },
  list_pending_invitations: { permission: 'list_invitations' },
  approve_plan: { permission: 'approve_plan' },
  list_project_people: { permission: 'open_project' },
  add_funds: charge,
  get_balance: {},
  list_payment_methods: {},
  list_transactions: {},
  get_auto_reload: {},
  update_auto_reload: autoReload,
  add_workspace_funds: { permission: 'add_funds', ...charge },
  get_workspace_balance: { permission: 'see_billing' },
  get_workspace_auto_reload: { permission: 'see_billing' },
  update_workspace_auto_reload: { permission: 'add_funds', ...autoReload },
};

/** The row of a route. */
export function wellCalled({ operationId }: Route): WellCalled {
  return (
    ROWS[operationId] ??
    assert.fail(`${operationId} has no row in api/testing/contract/samples.ts: add one`)
  );
}

/** Rows that no route has any more. */
export const leftOver = (routes: readonly Route[]): string[] =>
  Object.keys(ROWS).filter((id) => !routes.some(({ operationId }) => operationId === id));

/** A tenant of its own, whose caller stands in it like this. */
export async function makeTenant(
  { fixtures }: Harness,
  standing: Standing = 'owner',
): Promise<Tenant> {
  const owner = await fixtures.user();
  const caller = standing === 'owner' ? owner : await fixtures.user();
  const successor = await fixtures.user();
  const workspace = await fixtures.workspace(owner, { balance: '20.00' });
  await fixtures.member(workspace, successor);
  const project = await fixtures.project({ organizationId: workspace });
  const task = await fixtures.task(project, owner);
  await fixtures.revision(task);
  await fixtures.invitation(workspace, { by: owner });
  if (standing === 'admin' || standing === 'member' || standing === 'viewer')
    await fixtures.member(workspace, caller, standing);
  if (standing === 'collaborator') await fixtures.grant(project, caller, 'member');
  await fixtures.fund({ userId: caller.id }, '15.00');
  const team = await fixtures.team(workspace);
  const ids = { org_id: workspace, team_id: team, project_id: project, task_id: task };
  return { owner, caller, successor, card: await fixtures.card(caller), ids };
}

/** What differs from a good call. */
export interface Change {
  key?: string | undefined;
  ids?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
  /** Bytes instead of the body. */
  raw?: string;
  headers?: Record<string, string>;
}

/** Calls an operation as its row says, but for `change`. A key of undefined is none. */
export function callWell(
  harness: Harness,
  route: Route,
  tenant: Tenant,
  change: Change = {},
): Promise<Reply> {
  const { query, body } = wellCalled(route);
  const ids = { ...tenant.ids, ...change.ids };
  const path = route.path.replaceAll(
    /\{(\w+)\}/g,
    (_, name) => ids[name] ?? assert.fail(`no ${name}`),
  );
  const search = new URLSearchParams({ ...query?.(tenant), ...change.query });
  const sent =
    body === undefined && change.body === undefined
      ? undefined
      : { ...body?.(tenant), ...change.body };
  return harness.request(route.method, search.size === 0 ? path : `${path}?${search}`, {
    key: 'key' in change ? change.key : tenant.caller.key,
    headers: change.headers ?? {},
    ...(change.raw !== undefined
      ? { raw: change.raw }
      : route.method === 'GET'
        ? {}
        : { body: sent }),
  });
}
