import { clean } from './clean.ts';
import type { Fault } from './faults.ts';

/**
 * What one part of a world says of another. It reads the file as it came, and passes over what has no right form (the
 * structure's fault to report), so that all faults of a file are told at once.
 */
type Item = { [field: string]: unknown; pointer: string };

interface Workspace {
  people: Set<string>;
}

/** Everything that can be referred to, by handle. */
interface Known {
  users: Set<string>;
  workspaces: Map<string, Workspace>;
  /** A project's workspace, or undefined. */
  projects: Map<string, string | undefined>;
  report: (pointer: string, message: string) => void;
}

/** Every fault of the references in a world that was parsed from JSON, in the order of the file's sections. */
export function referenceFaults(world: unknown): Fault[] {
  const faults: Fault[] = [];
  const report = (pointer: string, message: string) => faults.push({ pointer, message });
  const users = itemsOf(world, '', 'users');
  const organizations = itemsOf(world, '', 'organizations');
  const projects = itemsOf(world, '', 'projects');
  const tasks = itemsOf(world, '', 'tasks');
  const known: Known = {
    users: new Set(users.flatMap(({ handle }) => text(handle) ?? [])),
    workspaces: new Map(
      organizations.map((item) => [text(item.handle) ?? '', { people: peopleOf(item) }]),
    ),
    projects: new Map(projects.map((item) => [text(item.handle) ?? '', text(item.organization)])),
    report,
  };
  checkUsers(known, users);
  checkOrganizations(known, organizations);
  checkProjects(known, projects);
  checkTasks(known, tasks);
  return faults;
}

function checkUsers(known: Known, users: Item[]): void {
  const keys = users.flatMap((user) => itemsOf(user, user.pointer, 'keys'));
  unique(known, users, 'handle', 'a user');
  unique(known, users, 'email', 'a user', sameWithoutCase);
  unique(known, keys, 'handle', 'a key');
  unique(known, keys, 'secret', 'a key');
  const cards = users.flatMap((user) =>
    itemsOf(user, user.pointer, 'cards').map((card) => ({
      ...card,
      name: `${user.handle}/${card.handle}`,
    })),
  );
  unique(known, cards, 'name', 'a card', (name) => name, 'handle');
}

function checkOrganizations(known: Known, organizations: Item[]): void {
  const inAll = (list: string) =>
    organizations.flatMap((item) => itemsOf(item, item.pointer, list));
  unique(known, organizations, 'handle', 'a workspace');
  unique(known, inAll('teams'), 'handle', 'a team');
  unique(known, inAll('invitations'), 'handle', 'an invitation');
  for (const organization of organizations) {
    user(known, organization, 'owner');
    const members = itemsOf(organization, organization.pointer, 'members');
    unique(known, members, 'user', 'a member');
    for (const member of members) {
      if (user(known, member, 'user') && member.user === organization.owner) {
        known.report(
          `${member.pointer}/user`,
          `${quote(member.user)} owns the workspace: do not list the owner here`,
        );
      }
    }
    checkTeams(known, organization);
    checkInvitations(known, organization);
  }
}

function checkTeams(known: Known, organization: Item): void {
  const teams = itemsOf(organization, organization.pointer, 'teams');
  unique(known, teams, 'name', 'a team of this workspace', sameWithoutCase);
  for (const team of teams) {
    for (const [pointer, handle] of handlesOf(known, team, 'members'))
      member(known, organization, pointer, handle);
    for (const [pointer, handle] of handlesOf(known, team, 'projects')) {
      if (!known.projects.has(handle))
        known.report(pointer, `${quote(handle)} is not a project in this file`);
      else if (known.projects.get(handle) !== organization.handle) {
        known.report(pointer, `${quote(handle)} belongs to another workspace, or to none`);
      }
    }
  }
}

function checkInvitations(known: Known, organization: Item): void {
  const invitations = itemsOf(organization, organization.pointer, 'invitations');
  const open = invitations.filter(({ status = 'pending' }) => status === 'pending');
  unique(known, open, 'email', 'a pending invitation to this workspace', sameWithoutCase);
  for (const { pointer, invited_by } of invitations) {
    const by = text(invited_by);
    if (by !== undefined) member(known, organization, `${pointer}/invited_by`, by);
  }
}

function checkProjects(known: Known, projects: Item[]): void {
  unique(known, projects, 'handle', 'a project');
  for (const project of projects) {
    const organization = text(project.organization);
    const workspace = known.workspaces.get(organization ?? '');
    if (organization !== undefined && workspace === undefined) {
      known.report(
        `${project.pointer}/organization`,
        `${quote(organization)} is not a workspace in this file`,
      );
    }
    if (organization !== undefined && project.owner !== undefined) {
      known.report(
        `${project.pointer}/owner`,
        'a project must have either a workspace or an owner, not both',
      );
    } else user(known, project, 'owner');
    checkGrants(known, project, organization === undefined ? { people: new Set() } : workspace);
  }
}

/** `workspace`: undefined where it cannot be found, which has been reported. */
function checkGrants(known: Known, project: Item, workspace: Workspace | undefined): void {
  const overrides = itemsOf(project, project.pointer, 'overrides');
  const collaborators = itemsOf(project, project.pointer, 'collaborators');
  unique(known, [...overrides, ...collaborators], 'user', 'a role on this project');
  for (const grant of overrides) {
    if (user(known, grant, 'user') && workspace && !workspace.people.has(grant.user as string)) {
      const where = `${grant.pointer}/user`;
      known.report(
        where,
        `${quote(grant.user)} is not a member of the project's workspace: list them under collaborators`,
      );
    }
  }
  for (const grant of collaborators) {
    if (!user(known, grant, 'user')) continue;
    if (workspace?.people.has(grant.user as string)) {
      const where = `${grant.pointer}/user`;
      known.report(
        where,
        `${quote(grant.user)} is a member of the project's workspace: list them under overrides`,
      );
    } else if (grant.user === project.owner) {
      known.report(
        `${grant.pointer}/user`,
        `${quote(grant.user)} owns the project and needs no role in it`,
      );
    }
  }
}

function checkTasks(known: Known, tasks: Item[]): void {
  unique(known, tasks, 'handle', 'a task');
  for (const task of tasks) {
    const project = text(task.project);
    if (project !== undefined && !known.projects.has(project)) {
      known.report(`${task.pointer}/project`, `${quote(project)} is not a project in this file`);
    }
    user(known, task, 'created_by');
    const { revisions, approved_version: approved } = isObject(task.plan) ? task.plan : {};
    if (Array.isArray(revisions) && typeof approved === 'number' && approved > revisions.length) {
      const where = `${task.pointer}/plan/approved_version`;
      known.report(where, `must be at most ${revisions.length}, the number of revisions`);
    }
  }
}

/** Whether the field names a user of the file; reports it when it names nobody. */
function user(known: Known, item: Item, field: string): boolean {
  const handle = text(item[field]);
  if (handle === undefined) return false;
  if (known.users.has(handle)) return true;
  known.report(`${item.pointer}/${field}`, `${quote(handle)} is not a user in this file`);
  return false;
}

function member(known: Known, organization: Item, pointer: string, handle: string): void {
  if (!known.users.has(handle))
    known.report(pointer, `${quote(handle)} is not a user in this file`);
  else if (!peopleOf(organization).has(handle)) {
    known.report(pointer, `${quote(handle)} is neither a member nor the owner of this workspace`);
  }
}

/** Reports every item whose field repeats that of an item before it; `at`: the field to point to. */
function unique(
  known: Known,
  items: Item[],
  field: string,
  what: string,
  same = (value: string) => value,
  at = field,
): void {
  const seen = new Map<string, string>();
  for (const item of items) {
    const value = text(item[field]);
    if (value === undefined) continue;
    const first = seen.get(same(value));
    if (first === undefined) seen.set(same(value), item.pointer);
    else known.report(`${item.pointer}/${at}`, `repeats the ${at} of ${what} above (${first})`);
  }
}

/** The handles of a team's list with their pointers; reports the ones that stand there twice. */
function handlesOf(known: Known, item: Item, list: string): [string, string][] {
  const handles = new Map<string, string>();
  const all = Array.isArray(item[list]) ? (item[list] as unknown[]) : [];
  all.forEach((value, index) => {
    const pointer = `${item.pointer}/${list}/${index}`;
    if (typeof value !== 'string') return;
    if (handles.has(value)) known.report(pointer, `${quote(value)} is already in this list`);
    else handles.set(value, pointer);
  });
  return [...handles].map(([handle, pointer]) => [pointer, handle]);
}

const people = new WeakMap<object, Set<string>>();

function peopleOf(organization: Item): Set<string> {
  const found = people.get(organization);
  if (found !== undefined) return found;
  const members = itemsOf(organization, organization.pointer, 'members').map((item) => item.user);
  const all = new Set([organization.owner, ...members].flatMap((value) => text(value) ?? []));
  people.set(organization, all);
  return all;
}

function itemsOf(owner: unknown, pointer: string, list: string): Item[] {
  const items = isObject(owner) ? owner[list] : undefined;
  if (!Array.isArray(items)) return [];
  return items.flatMap((item, index) =>
    isObject(item) ? [{ ...item, pointer: `${pointer}/${list}/${index}` }] : [],
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const text = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;
const sameWithoutCase = (value: string): string => clean(value).toLowerCase();
const quote = (value: unknown): string => JSON.stringify(value);
