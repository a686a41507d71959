import Type from 'typebox';
import { onLockedProject } from '../access/project.ts';
import type { Tx } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { revision } from '../http/change.ts';
import { uuid } from '../http/input/fields.ts';
import { matches } from '../http/preconditions.ts';
import { ids, route } from '../http/route.ts';
import { timestamp } from '../http/timestamps.ts';
import { recordChange } from '../platform/audit/audit.ts';
import { projectChanged } from './project.ts';
import { removeProject } from './remove-project.ts';

/**
 * Deletes a project with everything that is part of it; the history of money and the audit trail
 * stay (spec: Projects, decision 19).
 */
export const deleteProject = route({
  method: 'DELETE',
  path: '/api/projects/{project_id}',
  area: 'Projects',
  operationId: 'delete_project',
  summary: 'Delete a project',
  description:
    'Permanently deletes the project with its tasks, plans, invitations and the roles of ' +
    'people on it. Owners and admins only. Usage that was recorded is charged, and money held ' +
    'for its tasks is released.',
  proof: true,
  access: onLockedProject('delete_project'),
  auditDenied: { action: 'project.delete', target: 'project_id' },
  params: ids('project_id'),
  responses: {
    200: {
      description: 'What was deleted.',
      schema: Type.Object({
        id: uuid(),
        status: Type.Enum(['deleted']),
        tasks_deleted: Type.Integer(),
        pods_stopped: Type.Integer(),
        files_deleted: Type.Integer(),
        bytes_freed: Type.Integer(),
        deleted_at: timestamp(),
      }),
      example: {
        id: 'c4b1f0de-2a6e-4b53-9a57-2f6f0f1f8a11',
        status: 'deleted',
        tasks_deleted: 12,
        pods_stopped: 0,
        files_deleted: 9,
        bytes_freed: 1_482_310,
        deleted_at: '2026-11-21T08:15:30.123Z',
      },
    },
  },
  headers: { 'If-Match': 'The ETag of the project that you have read.' },
  errors: [projectChanged],
  handle: ({ params: { project_id }, headers, requestId, transaction }) =>
    transaction(async (tx, caller) => {
      const { expected, ...before } = await current(tx, project_id, headers['if-match']);
      if (!expected) throw projectChanged();
      const removed = await removeProject(tx, project_id);
      const { tasks_deleted, files_deleted, bytes_freed, holds_released, deleted_at } = removed;
      await recordChange(tx, {
        caller,
        action: 'project.delete',
        target: project_id,
        organizationId: caller.organization_id,
        projectId: project_id,
        before,
        after: { tasks_deleted, files_deleted, holds_released },
        requestId,
      });
      const body = {
        id: project_id,
        status: 'deleted',
        tasks_deleted,
        pods_stopped: 0,
        files_deleted,
        bytes_freed,
        deleted_at,
      };
      return { status: 200, body };
    }),
});

const current = (tx: Tx, projectId: string, ifMatch: string | undefined) =>
  tx.one<{ expected: boolean; name: string; owner_user_id: string | null }>(sql`
    select p.name, p.owner_user_id, ${matches(ifMatch, revision(sql`p.updated_at`))} as expected
      from project p where p.id = ${projectId}`);
