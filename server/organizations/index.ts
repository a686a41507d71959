/**
 * What other areas show of workspaces: the audit trail, whose entries everybody reads in one form, and the
 * instructions for agents, which projects have as well; what proves that a link of an invitation is right; and
 * how a person leaves a workspace, or it ends with them.
 */

export { auditEvent } from './audit/audit-events.ts';
export { inviteTokenCheck, TOKEN_LENGTH } from './invitations/invite-link.ts';
export { endMembership } from './members/end-membership.ts';
export { dissolve } from './workspaces/dissolve.ts';
export { getsInstructions, setsInstructions } from './workspaces/instructions.ts';
