import { exportAuditEvents } from './export-audit-events.ts';
import { listAuditEvents } from './list-audit-events.ts';

export const auditRoutes = [listAuditEvents, exportAuditEvents];
