import { randomInt, randomUUID } from 'node:crypto';
import { hashKey, mintKey } from '../../server/identity/keys/key.ts';
import { planRows } from './plan-rows.ts';
import { settingsRows } from './project-settings.ts';
import { withMain } from './repositories.ts';
import { builtInRoleId, roleKey, type Scope } from './roles.ts';
import type { World } from './schema.ts';

/**
 * The ids that an import created, by handle; cards by "user/handle". Keys are their secrets, shown
 * only this once.
 */
export interface WorldIds {
  users: Record<string, { id: string }>;
  keys: Record<string, string>;
  cards: Record<string, string>;
  organizations: Record<string, string>;
  teams: Record<string, string>;
  invitations: Record<string, string>;
  projects: Record<string, string>;
  tasks: Record<string, string>;
  /** The secrets of projects, which the file has no values of. */
  secrets?: Record<string, string[]>;
}

/** Rows in the form that `json_to_recordset` takes, by table. */
export type Rows = Record<Table, object[]>;

/**
 * In the order that the foreign keys require; projects before teams, so that the trigger on new
 * projects adds no teams.
 */
export const TABLES = [
  'app_user',
  'api_key',
  'payment_method',
  'organization',
  'role',
  'membership',
  'project',
  'begun_project',
  'repository',
  'merge_target',
  'project_environment',
  'project_network_host',
  'project_variable',
  'project_mcp_server',
  'project_grant',
  'team',
  'team_member',
  'team_project',
  'invitation',
  'invitation_team',
  'task',
  'task_message',
  'plan_revision',
  'plan_approval',
  'plan',
  'plan_comment',
  'balance',
] as const;
export type Table = (typeof TABLES)[number];

/**
 * Gives every part of a world its id, and turns the parts into rows. It does not use the database.
 * `existing`: the ids of users who are in the database already, by handle; they stay as they are.
 */
export function layOut(
  world: World,
  existing: ReadonlyMap<string, string> = new Map(),
): { ids: WorldIds; rows: Rows } {
  const draft = new Draft(world, existing);
  for (const user of world.users) if (!existing.has(user.handle)) draft.addUser(user);
  world.organizations.forEach((organization) => {
    draft.addOrganization(organization);
  });
  world.projects.forEach((project) => {
    draft.addProject(project);
  });
  world.tasks.forEach((task) => {
    draft.addTask(task);
  });
  return { ids: draft.ids(), rows: draft.rows };
}

type Lists = Omit<World, 'version'>;
type Item<List extends keyof Lists> = Lists[List][number];

class Draft {
  readonly rows = Object.fromEntries(TABLES.map((table) => [table, [] as object[]])) as Rows;
  // Maps, because a handle may be any text, even "__proto__".
  readonly #users: Map<string, { id: string; name: string }>;
  readonly #projects: Map<string, string>;
  readonly #organizations: Map<string, string>;
  /** Of workspaces. */
  readonly #owners: Map<string, string>;
  readonly #keys = new Map<string, string>();
  readonly #cards = new Map<string, string>();
  readonly #teams = new Map<string, string>();
  readonly #invitations = new Map<string, string>();
  readonly #tasks = new Map<string, string>();
  readonly #secrets = new Map<string, string[]>();
  readonly #roles = new Map<string, string>();

  constructor(world: World, existing: ReadonlyMap<string, string>) {
    const idsOf = (items: { handle: string }[]) =>
      new Map(items.map(({ handle }) => [handle, randomUUID() as string]));
    this.#users = new Map(
      world.users.map(({ handle, name = '' }) => [
        handle,
        { id: existing.get(handle) ?? randomUUID(), name },
      ]),
    );
    this.#organizations = idsOf(world.organizations);
    this.#owners = new Map(world.organizations.map(({ handle, owner }) => [handle, owner]));
    this.#projects = idsOf(world.projects);
  }

  ids(): WorldIds {
    return {
      users: Object.fromEntries([...this.#users].map(([handle, { id }]) => [handle, { id }])),
      keys: Object.fromEntries(this.#keys),
      cards: Object.fromEntries(this.#cards),
      organizations: Object.fromEntries(this.#organizations),
      teams: Object.fromEntries(this.#teams),
      invitations: Object.fromEntries(this.#invitations),
      projects: Object.fromEntries(this.#projects),
      tasks: Object.fromEntries(this.#tasks),
      ...(this.#secrets.size > 0 && { secrets: Object.fromEntries(this.#secrets) }),
    };
  }

  addUser({ handle, balance, keys, cards, ...columns }: Item<'users'>): void {
    const { id } = this.#user(handle);
    this.rows.app_user.push({ id, ...columns });
    this.#addBalance(id, balance);
    for (const key of keys) {
      const secret = key.secret ?? mintKey();
      this.#keys.set(key.handle, secret);
      this.rows.api_key.push({
        user_id: id,
        name: key.name,
        secret_hash: hashKey(secret)?.toString('hex'),
      });
    }
    for (const { handle: card, token, brand, last4 } of cards) {
      const cardId = `pm_${base62(24)}`;
      this.#cards.set(`${handle}/${card}`, cardId);
      const place = this.rows.payment_method.length;
      this.rows.payment_method.push({ id: cardId, user_id: id, token, brand, last4, place });
    }
  }

  addOrganization(organization: Item<'organizations'>): void {
    const { handle, owner, balance, members, teams, invitations, roles, ...columns } = organization;
    const id = known(this.#organizations, handle);
    this.rows.organization.push({ id, ...columns, owner_user_id: this.#user(owner).id });
    this.#addBalance(id, balance);
    for (const role of roles) {
      const role_id = randomUUID();
      this.#roles.set(roleKey(handle, role.scope, role.slug), role_id);
      this.rows.role.push({ id: role_id, organization_id: id, ...role });
    }
    // The owner's own membership says `admin`, the role they keep after a transfer.
    for (const { user, role } of [{ user: owner, role: 'admin' }, ...members]) {
      const role_id = this.#role(handle, 'workspace', role);
      this.rows.membership.push({ organization_id: id, user_id: this.#user(user).id, role_id });
    }
    for (const team of teams) this.#addTeam(id, team);
    invitations.forEach(({ teams, ...invitation }, index, all) => {
      const to = { organization_id: id, scope: 'workspace' as const };
      const invitation_id = this.#addInvitation(to, handle, invitation, all.length - index);
      for (const team of teams) {
        const team_id = known(this.#teams, team);
        this.rows.invitation_team.push({ invitation_id, organization_id: id, team_id });
      }
    });
  }

  #addTeam(organization_id: string, team: Item<'organizations'>['teams'][number]): void {
    const { handle, members, projects, ...columns } = team;
    const id = randomUUID();
    this.#teams.set(handle, id);
    this.rows.team.push({ id, organization_id, ...columns });
    for (const member of members) {
      this.rows.team_member.push({ team_id: id, organization_id, user_id: this.#user(member).id });
    }
    for (const project of projects) {
      this.rows.team_project.push({
        team_id: id,
        organization_id,
        project_id: known(this.#projects, project),
      });
    }
  }

  /** `age` preserves the order of the file: of two, the later one is the newer. */
  #addInvitation(
    to: { organization_id: string; scope: 'workspace' } | { project_id: string; scope: 'project' },
    organization: string | undefined,
    invitation: Omit<Item<'organizations'>['invitations'][number], 'teams'>,
    age: number,
  ): string {
    const { handle, role, invited_by, invited_by_name, ...columns } = invitation;
    const id = randomUUID();
    const by = invited_by === undefined ? undefined : this.#user(invited_by);
    this.#invitations.set(handle, id);
    this.rows.invitation.push({
      id,
      ...to,
      ...columns,
      role_id: this.#role(organization, to.scope, role),
      invited_by_user_id: by?.id ?? null,
      invited_by_name: invited_by_name ?? by?.name ?? '',
      age,
    });
    return id;
  }

  addProject(project: Item<'projects'>): void {
    const { handle, organization, owner, overrides, collaborators, invitations, ...rest } = project;
    const { repositories, merge_targets, secrets, ...others } = rest;
    const { environment: _, network: __, variables: ___, mcp_servers: ____, ...columns } = others;
    const id = known(this.#projects, handle);
    this.rows.project.push({
      id,
      ...columns,
      spend_cap: columns.spend_cap?.toString(),
      organization_id: organization === undefined ? null : known(this.#organizations, organization),
      owner_user_id: owner === undefined ? null : this.#user(owner).id,
    });
    // In place of what the trigger on new projects adds.
    if (repositories !== undefined || merge_targets !== undefined)
      this.rows.begun_project.push({
        project_id: id,
        repositories: repositories !== undefined,
        merge_targets: merge_targets !== undefined,
      });
    if (repositories !== undefined)
      withMain(repositories).forEach((repository, place) => {
        this.rows.repository.push({ project_id: id, place, ...repository });
      });
    for (const target of merge_targets ?? [])
      this.rows.merge_target.push({ project_id: id, ...target });
    const setBy = owner ?? this.#owners.get(organization ?? '');
    const by = setBy === undefined ? undefined : this.#user(setBy).id;
    const settings = settingsRows(id, project, by);
    this.rows.project_environment.push(...settings.project_environment);
    this.rows.project_network_host.push(...settings.project_network_host);
    this.rows.project_variable.push(...settings.project_variable);
    this.rows.project_mcp_server.push(...settings.project_mcp_server);
    if (secrets.length > 0) this.#secrets.set(handle, secrets.map(secretName));
    for (const { user, role } of [...overrides, ...collaborators]) {
      const role_id = this.#role(organization, 'project', role);
      this.rows.project_grant.push({ project_id: id, user_id: this.#user(user).id, role_id });
    }
    invitations.forEach((invitation, index, all) => {
      const to = { project_id: id, scope: 'project' as const };
      this.#addInvitation(to, organization, invitation, all.length - index);
    });
  }

  addTask({ handle, project, created_by, plan, messages, ...columns }: Item<'tasks'>): void {
    const id = randomUUID();
    const creator = this.#user(created_by).id;
    this.#tasks.set(handle, id);
    const project_id = known(this.#projects, project);
    // Nothing of an imported task runs: its plan waits for approval, or nothing does.
    const waits = plan !== undefined && plan.approved_version !== plan.revisions.length;
    const status = waits ? 'awaiting_approval' : 'ready';
    this.rows.task.push({
      id,
      project_id,
      ...columns,
      spend_cap: columns.spend_cap?.toString(),
      status,
      created_by_user_id: creator,
      last_message: messages.length,
    });
    messages.forEach(({ by, content }, index) => {
      this.rows.task_message.push({
        task_id: id,
        number: index + 1,
        role: by === undefined ? 'agent' : 'user',
        author_user_id: by === undefined ? null : this.#user(by).id,
        content,
      });
    });
    if (plan === undefined) return;
    const rows = planRows(id, creator, plan, (handle) => this.#user(handle).id);
    this.rows.plan_revision.push(...rows.plan_revision);
    this.rows.plan_approval.push(...rows.plan_approval);
    this.rows.plan.push(rows.plan);
    this.rows.plan_comment.push(...rows.plan_comment);
  }

  #role(organization: string | undefined, scope: Scope, slug: string): string {
    return builtInRoleId(scope, slug) ?? known(this.#roles, roleKey(organization, scope, slug));
  }

  /** A row for the ledger. Amounts are text, because many parsers read JSON numbers as floats. */
  #addBalance(ownerId: string, balance: bigint): void {
    if (balance > 0n) this.rows.balance.push({ owner_id: ownerId, amount: String(balance) });
  }

  #user(handle: string): { id: string; name: string } {
    return known(this.#users, handle);
  }
}

const secretName = ({ name, stage }: { name: string; stage?: string }): string =>
  stage === undefined ? name : `${name} (${stage})`;

/** All references of a world were checked before, so each of them resolves. */
function known<Value>(map: Map<string, Value>, handle: string): Value {
  const value = map.get(handle);
  if (value === undefined) throw new Error(`the unchecked handle ${handle}`);
  return value;
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function base62(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(62)]).join('');
}
