/** The rarer pages of a workspace are loaded together: each file more is a name more in the shell. */
export { AuditTrail } from './audit.tsx';
export { Danger } from './danger.tsx';
export { Roles } from './roles.tsx';
export { ServiceAccounts } from './service-accounts.tsx';
export { WorkspaceSettings } from './settings.tsx';
export { TeamPage } from './team.tsx';
export { Teams } from './teams.tsx';
