import { type OfConnection, onConnection } from '../../access/odoo-connection.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { changedAt, revision, type Shown, shownAs, withChanges } from '../../http/change.ts';
import { matches } from '../../http/preconditions.ts';
import { ids, route } from '../../http/route.ts';
import { auditRow } from '../../platform/audit/audit.ts';
import { addressInvalid, httpNotAllowed, originOf } from './address.ts';
import {
  connection,
  connectionChanged,
  connectionNameTaken,
  secretRequired,
  writer,
} from './connection.ts';
import { type Learned, learnedFrom, probeErrors, refuseWrong } from './probing.ts';
import { openSecret, sealFor, secretUnreadable } from './seal.ts';
import { type Changes, isAboutServer, isSameServer, serverAfter } from './server-after.ts';
import type { ConnectionServices } from './services.ts';

/** Changes a connection; a field left out keeps its value (ruling 4). */
export const updateConnection = ({
  askOdoo: ask,
  connectionSealing: sealing,
  httpConnections: allowHttp,
}: ConnectionServices) =>
  route({
    method: 'PUT',
    path: '/api/projects/{project_id}/odoo-connections/{connection_id}',
    area: 'Odoo Connections',
    operationId: 'update_odoo_connection',
    summary: 'Update a connection to Odoo',
    description:
      'A field that is omitted keeps its value; `null` removes one that may be empty; `{}` changes ' +
      'nothing. A new address, database, login, kind or secret is tried first, as when it was ' +
      'added. A new host or kind needs the secret again: it is used only where, and as what, it ' +
      'was given. A connection that becomes `production` drops from `write` to `read` unless the ' +
      'request says `agent_access: write`. Agents that use it work with the new settings from ' +
      'their next call on. Send the `ETag` of the connection you have read as `If-Match` to avoid ' +
      'overwriting a later change. Admins of the project, and the owner and admins of its ' +
      'workspace only.',
    access: onConnection('update_project'),
    params: ids('project_id', 'connection_id'),
    body: connection.changes,
    sample: () => ({ body: { name: 'Staging 2', agent_access: 'write' } }),
    responses: { 200: connection.shown('The current connection.') },
    headers: { 'If-Match': 'The ETag of the connection that you have read.' },
    errors: [
      addressInvalid,
      httpNotAllowed,
      secretRequired,
      ...probeErrors,
      connectionNameTaken,
      connectionChanged,
      secretUnreadable,
    ],
    handle: async ({ body, headers, requestId, load, take, transaction }) => {
      const before = await load();
      const server = serverAfter(before, body, allowHttp);
      const learned = server.moved ? await tried(server) : undefined;
      return transaction(async (tx, now) => {
        // What was tried, and compared, is not what would be changed.
        if (isAboutServer(body) && !isSameServer(before, now)) throw connectionChanged();
        const { expected, ...shown } = await tx.one<Shown & { expected: boolean }>(
          updated(now, { ...changed(now, body, server), ...learned }, headers['if-match'], {
            requestId,
            writes: body.agent_access === 'write',
          }),
        );
        if (!expected) throw connectionChanged();
        return shownAs(200, shown);
      });

      async function tried({ secret, ...to }: typeof server): Promise<Learned> {
        const known = secret === undefined ? openSecret(sealing, before) : (secret ?? undefined);
        await take('probes');
        const probe = await ask({ ...to, secret: known, userId: before.userId });
        refuseWrong(probe);
        return learnedFrom(probe);
      }

      function changed(now: OfConnection, body: Changes, { url }: typeof server): object {
        const { secret, ...rest } = body;
        const becomesProduction =
          rest.environment === 'production' && now.environment !== 'production';
        return {
          // They were said of another server, or of one that is not at work.
          ...(becomesProduction || originOf(url) !== originOf(now.url)
            ? { agent_exceptions: [] }
            : {}),
          ...(becomesProduction && now.agent_access === 'write' ? { agent_access: 'read' } : {}),
          ...(secret === undefined ? {} : { secret_expires_at: null }),
          ...rest,
          ...(rest.url === undefined ? {} : { url }),
          ...(secret === undefined ? {} : sealedAs({ ...now, url }, secret)),
        };
      }

      function sealedAs(now: OfConnection, secret: string | null): object {
        if (secret === null) return { secret: null, secret_key_id: null };
        const { sealed, keyId } = sealFor(sealing, now, secret);
        return { secret: `\\x${sealed.toString('hex')}`, secret_key_id: keyId };
      }
    },
  });

// A connection writes to a production database only if it did before, or if this request says so:
// otherwise the constraint refuses the row.
const updated = (
  { connection_id, organization_id, ...by }: OfConnection & Caller,
  changes: object,
  ifMatch: string | undefined,
  { requestId, writes }: { requestId: string; writes: boolean },
): Sql => sql`
  with ${writer(by)},
  current as materialized (
    select t as row, ${matches(ifMatch, revision(sql`t.updated_at`))} as expected
      from odoo_connection t where t.id = ${connection_id}),
  wanted as (select ${withChanges(sql`row`, changes)} as row from current where expected),
  changed as (
    update odoo_connection t
       set name = (wanted.row).name,
           url = (wanted.row).url,
           database = (wanted.row).database,
           login = (wanted.row).login,
           kind = (wanted.row).kind,
           environment = (wanted.row).environment,
           agent_access = (wanted.row).agent_access,
           agent_exceptions = (wanted.row).agent_exceptions,
           production_write_allowed_at =
             case when (wanted.row).environment = 'production' and (wanted.row).agent_access = 'write'
                  then coalesce((current.row).production_write_allowed_at,
                                case when ${writes} then clock_timestamp() end) end,
           secret = (wanted.row).secret,
           secret_key_id = (wanted.row).secret_key_id,
           secret_set_at = case when (wanted.row).secret is not distinct from (current.row).secret
                                then (current.row).secret_set_at
                                when (wanted.row).secret is not null then clock_timestamp() end,
           secret_expires_at = (wanted.row).secret_expires_at,
           erp_version = (wanted.row).erp_version,
           edition = (wanted.row).edition,
           last_probe = (wanted.row).last_probe,
           updated_at = ${changedAt(sql`(current.row).updated_at`)}
      from wanted, current
     where t.id = (wanted.row).id and wanted.row is distinct from current.row
    returning t as row),
  audited as (${auditRow({
    action: 'odoo_connection.update',
    requestId,
    target: sql`(changed.row).id`,
    organization: sql`${organization_id}::uuid`,
    project: sql`(changed.row).project_id`,
    before: connection.snapshot(sql`current.row`),
    after: connection.snapshot(sql`changed.row`),
    from: sql`changed cross join current`,
  })})
  select current.expected, ${connection.columns}
    from current
    cross join authorized
    left join changed on true
    cross join lateral (select (coalesce(changed.row, current.row)).*) t`;
