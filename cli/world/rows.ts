import { randomInt, randomUUID } from 'node:crypto';
import { hashKey, mintKey } from '../../api/keys/key.ts';
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
  'membership',
  'project',
  'project_grant',
  'team',
  'team_member',
  'team_project',
  'invitation',
  'task',
  'plan_revision',
  'plan_approval',
  'plan',
  'balance',
] as const;
export type Table = (typeof TABLES)[number];

/**
 * Gives every part of a world its id, and turns the parts into rows. It does not use the database.
 */
export function layOut(world: World): { ids: WorldIds; rows: Rows } {
  const draft = new Draft(world);
  world.users.forEach((user) => {
    draft.addUser(user);
  });
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

type Item<List extends keyof World> = World[List][number];

class Draft {
  readonly rows = Object.fromEntries(TABLES.map((table) => [table, [] as object[]])) as Rows;
  // Maps, because a handle may be any text, even "__proto__".
  readonly #users: Map<string, { id: string; name: string }>;
  readonly #projects: Map<string, string>;
  readonly #organizations: Map<string, string>;
  readonly #keys = new Map<string, string>();
  readonly #cards = new Map<string, string>();
  readonly #teams = new Map<string, string>();
  readonly #invitations = new Map<string, string>();
  readonly #tasks = new Map<string, string>();

  constructor(world: World) {
    const idsOf = (items: { handle: string }[]) =>
      new Map(items.map(({ handle }) => [handle, randomUUID() as string]));
    this.#users = new Map(
      world.users.map(({ handle, name = '' }) => [handle, { id: randomUUID() as string, name }]),
    );
    this.#organizations = idsOf(world.organizations);
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
      this.rows.payment_method.push({ id: cardId, user_id: id, token, brand, last4 });
    }
  }

  addOrganization(organization: Item<'organizations'>): void {
    const { name, color = null, icon = null, require_2fa, balance, owner, members } = organization;
    const id = known(this.#organizations, organization.handle);
    const owner_user_id = this.#user(owner).id;
    this.rows.organization.push({ id, name, color, icon, require_2fa, owner_user_id });
    this.#addBalance(id, balance);
    // The owner's own membership says `admin`, the role they keep after a transfer.
    for (const { user, role } of [{ user: owner, role: 'admin' }, ...members]) {
      this.rows.membership.push({ organization_id: id, user_id: this.#user(user).id, role });
    }
    for (const team of organization.teams) this.#addTeam(id, team);
    organization.invitations.forEach((invitation, index, all) => {
      this.#addInvitation(id, invitation, all.length - index);
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
    organization_id: string,
    invitation: Item<'organizations'>['invitations'][number],
    age: number,
  ): void {
    const { handle, invited_by, ...columns } = invitation;
    const id = randomUUID();
    const { id: invited_by_user_id, name: invited_by_name } = this.#user(invited_by);
    this.#invitations.set(handle, id);
    this.rows.invitation.push({
      id,
      organization_id,
      ...columns,
      invited_by_user_id,
      invited_by_name,
      age,
    });
  }

  addProject(project: Item<'projects'>): void {
    const { handle, name, organization, owner, erp_version, erp_edition } = project;
    const id = known(this.#projects, handle);
    const organization_id =
      organization === undefined ? null : known(this.#organizations, organization);
    const owner_user_id = owner === undefined ? null : this.#user(owner).id;
    this.rows.project.push({ id, organization_id, owner_user_id, name, erp_version, erp_edition });
    for (const { user, role } of [...project.overrides, ...project.collaborators]) {
      this.rows.project_grant.push({ project_id: id, user_id: this.#user(user).id, role });
    }
  }

  addTask({ handle, project, title, created_by, plan }: Item<'tasks'>): void {
    const id = randomUUID();
    const created_by_user_id = this.#user(created_by).id;
    this.#tasks.set(handle, id);
    this.rows.task.push({
      id,
      project_id: known(this.#projects, project),
      title,
      created_by_user_id,
    });
    if (plan === undefined) return;
    plan.revisions.forEach((body, index) => {
      this.rows.plan_revision.push({ task_id: id, version: index + 1, body });
    });
    const approved = plan.approved_version ?? null;
    const approval = { task_id: id, approved_by_user_id: created_by_user_id };
    if (approved !== null) this.rows.plan_approval.push({ ...approval, version: approved });
    this.rows.plan.push({
      ...approval,
      version: plan.revisions.length,
      approved_version: approved,
    });
  }

  /** A row for the ledger. Amounts are text, because many parsers read JSON numbers as floats. */
  #addBalance(ownerId: string, balance: bigint): void {
    if (balance > 0n) this.rows.balance.push({ owner_id: ownerId, amount: String(balance) });
  }

  #user(handle: string): { id: string; name: string } {
    return known(this.#users, handle);
  }
}

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
