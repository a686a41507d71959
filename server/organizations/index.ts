/**
 * What other areas show of workspaces: the audit trail, whose entries everybody reads in one form, and the
 * instructions for agents, which projects have as well.
 */

export { auditEvent } from './audit/audit-events.ts';
export {
  instructionsBody,
  instructionsChanged,
  instructionsColumns,
  instructionsSample,
  instructionsSet,
  instructionsShown,
} from './workspaces/instructions.ts';
