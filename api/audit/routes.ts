import { listAuditEvents } from './list-audit-events.ts';

export const auditRoutes = [listAuditEvents];
