/**
 * What other areas show of workspaces: the audit trail, whose entries everybody reads in one form.
 */

export { auditEvent } from './audit/audit-events.ts';
