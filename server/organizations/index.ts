/**
 * What other areas show of workspaces, and how a person leaves them: the audit trail, whose entries
 * everybody reads in one form, and the instructions for agents, which projects have as well; what
 * proves that a link of an invitation is right; and what sends a delivery of a webhook again.
 */

export { auditEvent } from './audit/audit-events.ts';
export { inviteTokenCheck, TOKEN_LENGTH } from './invitations/invite-link.ts';
export { endMembership } from './members/end-membership.ts';
export { sendAgain, sendAgainErrors } from './webhooks/send-again.ts';
export { dissolve } from './workspaces/dissolve.ts';
export { getsInstructions, setsInstructions } from './workspaces/instructions.ts';
