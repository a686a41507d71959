import { randomUUID } from 'node:crypto';
import { hasRoomForConnection } from '../../access/odoo-connection.ts';
import { onProject } from '../../access/project.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { type Shown, shownAs } from '../../http/change.ts';
import { ids, route } from '../../http/route.ts';
import { auditRow } from '../../platform/audit/audit.ts';
import { addressInvalid, httpNotAllowed, readAddress } from './address.ts';
import { connection, connectionNameTaken, tooManyConnections, writer } from './connection.ts';
import { learnedFrom, probeErrors, refuseWrong } from './probing.ts';
import { sealFor } from './seal.ts';
import type { ConnectionServices } from './services.ts';

/** Gives a project a connection to an Odoo, after the server was asked. */
export const createConnection = ({
  askOdoo: ask,
  connectionSealing: sealing,
  httpConnections: allowHttp,
}: ConnectionServices) =>
  route({
    method: 'POST',
    path: '/api/projects/{project_id}/odoo-connections',
    area: 'Odoo Connections',
    operationId: 'create_odoo_connection',
    summary: 'Add a connection to Odoo',
    description:
      'Asks the server first, and refuses what is wrong: an address that is no Odoo, a login that ' +
      'does not work. A server that is down (`refused`, `timeout`, `database_down`, ' +
      '`rate_limited`) does not stand in the way: `last_probe` says so. The secret is stored ' +
      'encrypted and never shown; agents never get it. Admins of the project, and the owner and ' +
      'admins of its workspace only.',
    access: onProject('update_project'),
    params: ids('project_id'),
    body: connection.added,
    sample: ({ odoo_url }) => ({
      body: { name: 'Staging', url: odoo_url, kind: 'api_key', environment: 'staging' },
    }),
    responses: { 201: connection.shown('The connection.', ['ETag', 'Location']) },
    errors: [
      addressInvalid,
      httpNotAllowed,
      ...probeErrors,
      connectionNameTaken,
      tooManyConnections,
    ],
    handle: async ({ body, requestId, load, take, transaction }) => {
      const { secret, ...rest } = body;
      const wanted = {
        database: null,
        login: null,
        agent_access: 'read',
        agent_exceptions: [],
        ...rest,
      };
      const url = readAddress(body.url, { allowHttp });
      const { project_id, userId } = await load();
      await take('probes');
      const probe = await ask({ ...wanted, url, secret, userId });
      refuseWrong(probe);
      const connection_id = randomUUID();
      const sealed =
        secret === undefined
          ? undefined
          : sealFor(sealing, { connection_id, project_id, url }, secret);
      const row = {
        id: connection_id,
        project_id,
        ...wanted,
        url,
        ...learnedFrom(probe),
        ...(sealed && {
          secret: `\\x${sealed.sealed.toString('hex')}`,
          secret_key_id: sealed.keyId,
        }),
      };
      return transaction(async (tx, project) => {
        const { has_room, ...shown } = await tx.one<Shown & { has_room: boolean }>(
          added(project, row, requestId),
        );
        if (!has_room) throw tooManyConnections();
        const path = `/api/projects/${project.project_id}/odoo-connections/${connection_id}`;
        return shownAs(201, shown, path);
      });
    },
  });

interface Place extends Caller {
  project_id: string;
  organization_id: string | null;
  acts_as: string;
}

// The project is locked, so what is counted stays until the commit. That agents may write to a
// production database was said in this very request: it is not the default.
const added = (
  { project_id, organization_id, ...by }: Place,
  row: object,
  requestId: string,
): Sql => sql`
  with ${writer(by)},
  wanted as (
    select (jsonb_populate_record(null::odoo_connection, ${JSON.stringify(row)}::jsonb)).*),
  place as materialized (select ${hasRoomForConnection(sql`${project_id}::uuid`)} as has_room),
  changed as (
    insert into odoo_connection as t (
      id, project_id, name, url, database, login, kind, environment, agent_access,
      agent_exceptions, production_write_allowed_at, secret, secret_key_id, secret_set_at,
      secret_expires_at, erp_version, edition, last_probe, created_at, updated_at)
    select id, ${project_id}, name, url, database, login, kind, environment, agent_access,
           agent_exceptions,
           case when environment = 'production' and agent_access = 'write' then clock_timestamp() end,
           secret, secret_key_id, case when secret is not null then clock_timestamp() end,
           secret_expires_at, erp_version, coalesce(edition, 'unknown'), last_probe,
           clock_timestamp(), clock_timestamp()
      from wanted, place
     where place.has_room
    returning t as row),
  audited as (${auditRow({
    action: 'odoo_connection.create',
    requestId,
    target: sql`(changed.row).id`,
    organization: sql`${organization_id}::uuid`,
    project: sql`(changed.row).project_id`,
    before: sql`null::jsonb`,
    after: connection.snapshot(sql`changed.row`),
    from: sql`changed`,
  })})
  select place.has_room, ${connection.columns}
    from place
    cross join authorized
    left join changed on true
    cross join lateral (select (changed.row).*) t`;
