/** What a built-in role may do. A custom role acts as one of these (`acts_as`). */
export type BuiltInRole = 'owner' | 'admin' | 'member' | 'viewer';

/** What someone can be allowed to do, in a workspace or in a project (ruling 2). */
export type Permission =
  | 'open_project'
  | 'update_project'
  | 'delete_project'
  | 'transfer_project'
  | 'claim_project'
  | 'manage_project_people'
  | 'see_hidden_people'
  | 'create_task'
  | 'work_on_task'
  | 'delete_task'
  | 'merge_task'
  | 'force_merge'
  | 'approve_plan'
  | 'attach_file'
  | 'delete_attachment'
  | 'manage_comments'
  | 'see_workspace'
  | 'update_workspace'
  | 'see_members'
  | 'manage_members'
  | 'leave_workspace'
  | 'manage_roles'
  | 'create_team'
  | 'update_team'
  | 'delete_team'
  | 'manage_team'
  | 'list_invitations'
  | 'invite'
  | 'create_project'
  | 'manage_webhooks'
  | 'manage_service_accounts'
  | 'manage_routines'
  | 'see_audit_trail'
  | 'export_workspace'
  | 'see_billing'
  | 'see_usage'
  | 'see_all_usage'
  | 'add_funds'
  | 'set_spend_limits'
  | 'delete_workspace'
  | 'transfer_ownership';

const PERMISSIONS: Record<Permission, readonly BuiltInRole[]> = {
  open_project: ['owner', 'admin', 'member', 'viewer'],
  update_project: ['owner', 'admin'],
  delete_project: ['owner', 'admin'],
  transfer_project: ['owner'],
  claim_project: ['owner', 'admin'],
  manage_project_people: ['owner', 'admin'],
  see_hidden_people: ['owner', 'admin'],
  create_task: ['owner', 'admin', 'member'],
  work_on_task: ['owner', 'admin', 'member'],
  delete_task: ['owner', 'admin'],
  // Others by the rights of their teams.
  merge_task: ['owner', 'admin'],
  // Although its checks have not passed.
  force_merge: ['owner', 'admin'],
  approve_plan: ['owner', 'admin', 'member'],
  attach_file: ['owner', 'admin', 'member'],
  delete_attachment: ['owner', 'admin'],
  manage_comments: ['owner', 'admin'],
  see_workspace: ['owner', 'admin', 'member', 'viewer'],
  update_workspace: ['owner', 'admin'],
  see_members: ['owner', 'admin', 'member', 'viewer'],
  manage_members: ['owner', 'admin'],
  leave_workspace: ['owner', 'admin', 'member', 'viewer'],
  manage_roles: ['owner', 'admin'],
  create_team: ['owner', 'admin'],
  update_team: ['owner', 'admin'],
  delete_team: ['owner', 'admin'],
  manage_team: ['owner', 'admin'],
  list_invitations: ['owner', 'admin'],
  invite: ['owner', 'admin'],
  create_project: ['owner', 'admin'],
  manage_webhooks: ['owner', 'admin'],
  manage_service_accounts: ['owner', 'admin'],
  manage_routines: ['owner', 'admin'],
  see_audit_trail: ['owner', 'admin'],
  export_workspace: ['owner'],
  see_billing: ['owner', 'admin'],
  // Others only of what they asked for.
  see_usage: ['owner', 'admin', 'member', 'viewer'],
  see_all_usage: ['owner', 'admin'],
  add_funds: ['owner', 'admin'],
  set_spend_limits: ['owner', 'admin'],
  delete_workspace: ['owner'],
  transfer_ownership: ['owner'],
};

/** The built-in roles that have a permission; a statement compares `acts_as` with them. */
export const rolesThatMay = (permission: Permission): readonly BuiltInRole[] =>
  PERMISSIONS[permission];

/** Whether a role has a permission. */
export const may = (role: BuiltInRole, permission: Permission): boolean =>
  PERMISSIONS[permission].includes(role);
