import type { Prisma, Role, User } from '../generated/client';

const person = { id: true, email: true, name: true, isActive: true, twoFactor: true } as const;

/** A project with everybody who has something to do with it, or with one of them. */
export const withPeople = (userId?: string) => {
  const where = userId === undefined ? {} : { userId };
  return {
    id: true,
    organizationId: true,
    owner: { select: person },
    organization: {
      select: {
        ownerUserId: true,
        require2fa: true,
        members: { where, select: { user: { select: person }, role: true } },
      },
    },
    grants: { where, select: { user: { select: person }, role: true } },
  } satisfies Prisma.ProjectSelect;
};

type ProjectWithPeople = Prisma.ProjectGetPayload<{ select: ReturnType<typeof withPeople> }>;

export interface Person {
  user: Pick<User, 'id' | 'email' | 'name' | 'isActive' | 'twoFactor'>;
  isMember: boolean;
  isOwner: boolean;
  source: 'org' | 'override' | 'collaborator';
  orgRole?: Role;
  projectRole?: Role;
  /** The role they act with here. */
  role: Role;
  hiddenReason?: 'deactivated' | 'two_factor_required';
}

/**
 * Everyone who can open the project: members of its workspace, outside collaborators, and the owner
 * of a personal one.
 */
export function peopleOf(
  project: ProjectWithPeople,
  builtIn: { owner: Role; projectAdmin: Role },
): Person[] {
  const { organization, owner, grants } = project;
  const overrides = new Map(grants.map(({ user, role }) => [user.id, role]));
  const members = (organization?.members ?? []).map(({ user, role: given }): Person => {
    const isOwner = organization?.ownerUserId === user.id;
    const orgRole = isOwner ? builtIn.owner : given;
    const projectRole = overrides.get(user.id);
    // A project role changes what members and viewers may do, never owners and admins.
    const overridden = projectRole !== undefined && !['owner', 'admin'].includes(orgRole.actsAs);
    return {
      user,
      isMember: true,
      isOwner,
      source: overridden ? 'override' : 'org',
      orgRole,
      projectRole,
      role: overridden ? projectRole : orgRole,
      hiddenReason: hiddenReason(user, organization?.require2fa ?? false),
    };
  });
  const known = new Set(members.map(({ user }) => user.id));
  const outside = grants
    .filter(({ user }) => user.id !== owner?.id && !known.has(user.id))
    .map(({ user, role }): Person => outsider(user, role, 'collaborator'));
  return owner
    ? [outsider(owner, builtIn.projectAdmin, 'override'), ...outside]
    : [...members, ...outside];
}

const outsider = (
  user: Person['user'],
  role: Role,
  source: 'override' | 'collaborator',
): Person => ({
  user,
  isMember: false,
  isOwner: source === 'override',
  source,
  projectRole: role,
  role,
  hiddenReason: hiddenReason(user, false),
});

function hiddenReason(user: Person['user'], require2fa: boolean): Person['hiddenReason'] {
  if (!user.isActive) return 'deactivated';
  return require2fa && !user.twoFactor ? 'two_factor_required' : undefined;
}

/** The owner first, then members by name, then collaborators by name; the nameless last. */
export function byRankAndName(a: Person, b: Person): number {
  return (
    rank(a) - rank(b) ||
    Number(a.user.name === null) - Number(b.user.name === null) ||
    compare(a.user.name?.toLowerCase() ?? '', b.user.name?.toLowerCase() ?? '') ||
    compare(a.user.email, b.user.email) ||
    compare(a.user.id, b.user.id)
  );
}

const rank = ({ isOwner, isMember }: Person): number => (isOwner ? 0 : isMember ? 1 : 2);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A person as the API shows them; what is undefined is left out of the JSON. */
export const shown = ({ user, orgRole, projectRole, role, hiddenReason, ...person }: Person) => ({
  email: user.email,
  is_org_member: person.isMember,
  is_owner: person.isOwner,
  source: person.source,
  user_id: user.id,
  effective_role: role.slug,
  effective_role_color: role.color,
  effective_role_name: role.name,
  hidden_reason: hiddenReason,
  is_active: hiddenReason === undefined,
  name: user.name ?? undefined,
  org_role: orgRole?.slug,
  org_role_color: orgRole?.color,
  org_role_name: orgRole?.name,
  project_role: projectRole?.slug,
  project_role_color: projectRole?.color,
  project_role_name: projectRole?.name,
});
