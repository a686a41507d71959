/** What a built-in role may do. A custom role acts as one of these (`acts_as`). */
export type BuiltInRole = 'owner' | 'admin' | 'member' | 'viewer';

/** What someone can be allowed to do, in a workspace or in a project (ruling 2). */
export type Permission =
  | 'open_project'
  | 'see_hidden_people'
  | 'approve_plan'
  | 'see_members'
  | 'create_team'
  | 'update_team'
  | 'delete_team'
  | 'list_invitations'
  | 'see_billing'
  | 'add_funds'
  | 'delete_workspace'
  | 'transfer_ownership';

const PERMISSIONS: Record<Permission, readonly BuiltInRole[]> = {
  open_project: ['owner', 'admin', 'member', 'viewer'],
  see_hidden_people: ['owner', 'admin'],
  approve_plan: ['owner', 'admin', 'member'],
  see_members: ['owner', 'admin', 'member', 'viewer'],
  create_team: ['owner', 'admin'],
  update_team: ['owner', 'admin'],
  delete_team: ['owner', 'admin'],
  list_invitations: ['owner', 'admin'],
  see_billing: ['owner', 'admin'],
  add_funds: ['owner', 'admin'],
  delete_workspace: ['owner'],
  transfer_ownership: ['owner'],
};

/** The built-in roles that have a permission; a statement compares `acts_as` with them. */
export const rolesThatMay = (permission: Permission): readonly BuiltInRole[] =>
  PERMISSIONS[permission];

/** Whether a role has a permission. */
export const may = (role: BuiltInRole, permission: Permission): boolean =>
  PERMISSIONS[permission].includes(role);
