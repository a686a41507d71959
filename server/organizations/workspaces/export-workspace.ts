import Type from 'typebox';
import { onWorkspace } from '../../access/workspace.ts';
import { exportBusy } from '../../http/exports.ts';
import { ids, route } from '../../http/route.ts';
import { recordChange } from '../../platform/audit/audit.ts';
import { worldFile } from './world-file.ts';

/** The workspace as a world file, one consistent moment of it. */
export const exportWorkspace = route({
  method: 'GET',
  path: '/api/organizations/{org_id}/export',
  area: 'Workspaces',
  operationId: 'export_workspace',
  summary: 'Export a workspace',
  description:
    'The workspace as a file to download, which `guildhall import` reads: people, roles, ' +
    'teams, open invitations, projects with their settings and variables, tasks and plans. Owner ' +
    'only; every export is recorded in the audit trail. The file holds no keys, cards, links or ' +
    'balances, and of a secret variable only its name. A download that does not end properly is ' +
    'incomplete: ask for it again.',
  access: onWorkspace('export_workspace'),
  auditDenied: { action: 'workspace.export', target: 'org_id' },
  params: ids('org_id'),
  responses: {
    200: {
      description: 'A world file.',
      schema: Type.Object({
        version: Type.Integer(),
        users: Type.Array(Type.Unknown()),
        organizations: Type.Array(Type.Unknown()),
        projects: Type.Array(Type.Unknown()),
        tasks: Type.Array(Type.Unknown()),
      }),
      example: { version: 1, users: [], organizations: [], projects: [], tasks: [] },
    },
  },
  errors: [exportBusy],
  handle: async ({ params: { org_id }, requestId, load, begin, snapshot }) => {
    const { userId, keyId, sessionId } = await load();
    const change = { action: 'workspace.export', target: org_id, organizationId: org_id };
    const caller = { userId, keyId, sessionId };
    async function* chunks(): AsyncGenerator<string, void> {
      await begin((tx) =>
        recordChange(tx, { caller, ...change, before: {}, after: { version: 1 }, requestId }),
      );
      yield* snapshot((tx) => worldFile(tx, org_id));
    }
    return {
      status: 200,
      download: {
        name: `workspace-${org_id}.json`,
        mediaType: 'application/json',
        chunks: chunks(),
      },
    };
  },
});
