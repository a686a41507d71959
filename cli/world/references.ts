import { nameKey } from '../../server/http/input/names.ts';
import { clean } from './clean.ts';
import type { Fault } from './faults.ts';
import {
  asMailbox,
  handlesOf,
  type Item,
  isObject,
  itemsOf,
  quote,
  type Report,
  text,
  unique,
} from './items.ts';
import { checkPlan } from './plan-references.ts';
import { checkServers, checkVariables } from './project-settings.ts';
import { checkRepositories } from './repositories.ts';
import { checkRole, checkRoles, rolesOf } from './roles.ts';

/**
 * Checks what one part of a world says about another. It reads the file as it came and skips what
 * has the wrong form, which the check of the structure reports, so that all faults of a file are
 * reported together.
 */

interface Workspace {
  people: Set<string>;
}

/** Everything that can be referred to, by handle. */
interface Known {
  users: Map<string, Item>;
  workspaces: Map<string, Workspace>;
  /** A project's workspace, or undefined. */
  projects: Map<string, string | undefined>;
  /** The custom roles, by `roleKey`. */
  roles: Set<string>;
  report: Report;
}

/**
 * Every fault of the references in a world that was parsed from JSON, in the order of the file's
 * sections.
 */
export function referenceFaults(world: unknown): Fault[] {
  const faults: Fault[] = [];
  const report = (pointer: string, message: string) => faults.push({ pointer, message });
  const users = itemsOf(world, '', 'users');
  const organizations = itemsOf(world, '', 'organizations');
  const projects = itemsOf(world, '', 'projects');
  const tasks = itemsOf(world, '', 'tasks');
  const known: Known = {
    users: new Map(users.map((item) => [text(item.handle) ?? '', item])),
    workspaces: new Map(
      organizations.map((item) => [text(item.handle) ?? '', { people: peopleOf(item) }]),
    ),
    projects: new Map(projects.map((item) => [text(item.handle) ?? '', text(item.organization)])),
    roles: new Set(organizations.flatMap(rolesOf)),
    report,
  };
  checkUsers(known, users);
  unique(
    report,
    [...organizations, ...projects].flatMap((item) => itemsOf(item, item.pointer, 'invitations')),
    'handle',
    'an invitation',
  );
  checkOrganizations(known, organizations);
  checkProjects(known, projects);
  checkTasks(known, tasks);
  return faults;
}

function checkUsers(known: Known, users: Item[]): void {
  const keys = users.flatMap((user) => itemsOf(user, user.pointer, 'keys'));
  unique(known.report, users, 'handle', 'a user');
  unique(known.report, users, 'email', 'a user', asMailbox);
  unique(known.report, keys, 'handle', 'a key');
  unique(known.report, keys, 'secret', 'a key');
  const cards = users.flatMap((user) =>
    itemsOf(user, user.pointer, 'cards').map((card) => ({
      ...card,
      name: `${user.handle}/${card.handle}`,
    })),
  );
  unique(known.report, cards, 'name', 'a card', (name) => name, 'handle');
}

function checkOrganizations(known: Known, organizations: Item[]): void {
  const inAll = (list: string) =>
    organizations.flatMap((item) => itemsOf(item, item.pointer, list));
  unique(known.report, organizations, 'handle', 'a workspace');
  unique(known.report, inAll('teams'), 'handle', 'a team');
  for (const organization of organizations) {
    const handle = text(organization.handle);
    checkOwner(known, organization);
    checkRoles(known.report, organization);
    const members = itemsOf(organization, organization.pointer, 'members');
    unique(known.report, members, 'user', 'a member');
    for (const member of members) {
      checkRole(known, member, 'workspace', handle);
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

/**
 * Checks who may be an owner (ruling 5.3). The database does not enforce it, because it need not
 * hold later: an owner may be deactivated, or the workspace's policy may change.
 */
function checkOwner(known: Known, organization: Item): void {
  if (!user(known, organization, 'owner')) return;
  const where = `${organization.pointer}/owner`;
  const { is_active = true, two_factor = false } = known.users.get(
    String(organization.owner),
  ) as Item;
  const owner = quote(organization.owner);
  if (is_active === false)
    known.report(where, `${owner} is deactivated: only an active user can own a workspace`);
  if (organization.require_2fa === true && two_factor === false)
    known.report(where, `${owner} has no two-factor authentication, which this workspace requires`);
}

function checkTeams(known: Known, organization: Item): void {
  const teams = itemsOf(organization, organization.pointer, 'teams');
  unique(known.report, teams, 'name', 'a team of this workspace', (name) => nameKey(clean(name)));
  for (const team of teams) {
    for (const [pointer, handle] of handlesOf(known.report, team, 'members'))
      member(known, organization, pointer, handle);
    for (const [pointer, handle] of handlesOf(known.report, team, 'projects')) {
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
  unique(known.report, open, 'email', 'a pending invitation to this workspace', asMailbox);
  const teams = new Set(
    itemsOf(organization, organization.pointer, 'teams').map(({ handle }) => handle),
  );
  for (const invitation of invitations) {
    const by = text(invitation.invited_by);
    if (by !== undefined) member(known, organization, `${invitation.pointer}/invited_by`, by);
    checkRole(known, invitation, 'workspace', text(organization.handle));
    checkExpiry(known.report, invitation);
    for (const [pointer, handle] of handlesOf(known.report, invitation, 'teams'))
      if (!teams.has(handle))
        known.report(pointer, `${quote(handle)} is not a team of this workspace`);
  }
}

function checkExpiry(report: Report, invitation: Item): void {
  if (invitation.expires_at !== undefined && invitation.expires_in_hours !== undefined)
    report(`${invitation.pointer}/expires_at`, 'must not stand beside expires_in_hours');
}

function checkArchiving(report: Report, { pointer, archived, archived_at }: Item): void {
  if (archived_at !== undefined && archived !== true)
    report(`${pointer}/archived_at`, 'must stand beside archived: true');
}

function checkProjectInvitations(known: Known, project: Item): void {
  const invitations = itemsOf(project, project.pointer, 'invitations');
  const open = invitations.filter(({ status = 'pending' }) => status === 'pending');
  unique(known.report, open, 'email', 'a pending invitation to this project', asMailbox);
  for (const invitation of invitations) {
    user(known, invitation, 'invited_by');
    checkRole(known, invitation, 'project', text(project.organization));
    checkExpiry(known.report, invitation);
  }
}

function checkProjects(known: Known, projects: Item[]): void {
  unique(known.report, projects, 'handle', 'a project');
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
    checkArchiving(known.report, project);
    checkRepositories(known.report, project);
    checkVariables(known.report, project);
    checkServers(known.report, project);
    const targets = itemsOf(project, project.pointer, 'merge_targets');
    unique(known.report, targets, 'branch', 'a merge target of this project');
    checkProjectInvitations(known, project);
    checkGrants(known, project, organization === undefined ? { people: new Set() } : workspace);
  }
}

/** `workspace` is undefined if it was not found, which has already been reported. */
function checkGrants(known: Known, project: Item, workspace: Workspace | undefined): void {
  const overrides = itemsOf(project, project.pointer, 'overrides');
  const collaborators = itemsOf(project, project.pointer, 'collaborators');
  unique(known.report, [...overrides, ...collaborators], 'user', 'a role on this project');
  for (const grant of [...overrides, ...collaborators])
    checkRole(known, grant, 'project', text(project.organization));
  for (const grant of overrides) {
    if (user(known, grant, 'user') && workspace && !workspace.people.has(grant.user as string)) {
      const where = `${grant.pointer}/user`;
      known.report(
        where,
        `${quote(grant.user)} is not a member of the project's workspace: ` +
          'list them under collaborators',
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
  unique(known.report, tasks, 'handle', 'a task');
  for (const task of tasks) {
    const project = text(task.project);
    if (project !== undefined && !known.projects.has(project)) {
      known.report(`${task.pointer}/project`, `${quote(project)} is not a project in this file`);
    }
    user(known, task, 'created_by');
    checkArchiving(known.report, task);
    for (const message of itemsOf(task, task.pointer, 'messages'))
      if (message.by !== undefined) user(known, message, 'by');
    if (isObject(task.plan))
      checkPlan(task.plan, `${task.pointer}/plan`, known.report, (item, field) =>
        user(known, item, field),
      );
  }
}

/** Whether the field names a user of the file; reports it if it does not. */
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

const people = new WeakMap<object, Set<string>>();

function peopleOf(organization: Item): Set<string> {
  const found = people.get(organization);
  if (found !== undefined) return found;
  const members = itemsOf(organization, organization.pointer, 'members').map((item) => item.user);
  const all = new Set([organization.owner, ...members].flatMap((value) => text(value) ?? []));
  people.set(organization, all);
  return all;
}
