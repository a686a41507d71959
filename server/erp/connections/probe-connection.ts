import { type OfConnection, onConnection } from '../../access/odoo-connection.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { ids, route } from '../../http/route.ts';
import { recordChange } from '../../platform/audit/audit.ts';
import { lastProbe, lastProbeExample } from './last-probe.ts';
import { type Learned, learnedFrom } from './probing.ts';
import { openSecret, secretUnreadable } from './seal.ts';
import type { ConnectionServices } from './services.ts';

/** Asks the server of a connection again, with the stored secret. */
export const probeConnection = ({ askOdoo: ask, connectionSealing: sealing }: ConnectionServices) =>
  route({
    method: 'POST',
    path: '/api/projects/{project_id}/odoo-connections/{connection_id}/probe',
    area: 'Odoo Connections',
    operationId: 'probe_odoo_connection',
    summary: 'Try a connection to Odoo',
    description:
      'Asks the server whether the login works, and keeps what it says as `last_probe`, with its ' +
      'version and when the secret expires. What is wrong has a `code`; nothing else changes. ' +
      'Members of the project may; at most 10 times a minute.',
    access: onConnection('work_on_task'),
    params: ids('project_id', 'connection_id'),
    responses: {
      200: {
        description: 'What the server said.',
        schema: lastProbe,
        example: lastProbeExample,
      },
    },
    errors: [secretUnreadable],
    handle: async ({ requestId, load, take, transaction }) => {
      const before = await load();
      const secret = openSecret(sealing, before);
      await take('probes');
      const probe = await ask({ ...before, secret });
      const learned = learnedFrom(probe);
      return transaction(async (tx, now) => {
        await tx.many(noted(before, now, learned));
        await recordChange(tx, {
          caller: now,
          action: 'odoo_connection.probe',
          target: now.connection_id,
          requestId,
          organizationId: now.organization_id,
          projectId: now.project_id,
          before: {},
          after: { code: probe.code ?? null },
        });
        return { status: 200, body: learned.last_probe };
      });
    },
  });

// Of what was changed meanwhile, the answer says nothing.
const noted = (before: OfConnection, now: OfConnection, learned: Learned): Sql => sql`
  update odoo_connection t
     set last_probe = ${JSON.stringify(learned.last_probe)}::jsonb,
         erp_version = coalesce(${learned.erp_version ?? null}, t.erp_version),
         edition = coalesce(${learned.edition ?? null}, t.edition),
         secret_expires_at = coalesce(${learned.secret_expires_at ?? null}, t.secret_expires_at)
   where t.id = ${now.connection_id} and t.url = ${before.url}
     and t.database is not distinct from ${before.database}
     and t.login is not distinct from ${before.login} and t.kind = ${before.kind}
     and t.secret is not distinct from ${before.secret}`;
