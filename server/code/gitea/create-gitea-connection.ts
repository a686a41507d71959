import { randomUUID } from 'node:crypto';
import { onWorkspace, type Workspace } from '../../access/workspace.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { ids, route } from '../../http/route.ts';
import { actor, auditRow } from '../../platform/audit/audit.ts';
import type { Sealed, Sealing } from '../../platform/sealing/sealing.ts';
import {
  connectionSnapshot,
  connectionUrlInvalid,
  connectionUrlNotHttps,
  giteaConnection,
  MOST_CONNECTIONS,
  newConnection,
  readServerUrl,
  tokenInvalid,
  tooManyConnections,
} from './connection.ts';
import { tokenContext } from './sealed-tokens.ts';

export interface GiteaServices {
  codeHostSealing: Sealing;
  /** Whether tokens may be sent without TLS. */
  httpCodeHosts: boolean;
}

/** Lets the projects of a workspace use a Gitea or Forgejo server. */
export const createGiteaConnection = ({ codeHostSealing, httpCodeHosts }: GiteaServices) =>
  route({
    method: 'POST',
    path: '/api/organizations/{org_id}/gitea/connections',
    area: 'Workspaces',
    operationId: 'create_gitea_connection',
    summary: 'Connect a Gitea or Forgejo server',
    description:
      'The projects of the workspace may attach repositories that the account of the token sees ' +
      'there. A connection to this server that is there already gets the token instead of its ' +
      'own, and the repositories of one that was removed go on. The server is not asked: ' +
      '`attach_repository` says if the token is wrong. At most 20. Owners and admins only.',
    access: onWorkspace('update_workspace'),
    params: ids('org_id'),
    body: newConnection(),
    sample: () => ({ body: { url: 'https://git.example.com', token: 'a1b2c3d4e5f6' } }),
    responses: { 201: giteaConnection.shown('The connection.') },
    errors: [connectionUrlInvalid, connectionUrlNotHttps, tokenInvalid, tooManyConnections],
    handle: ({ body, requestId, transaction }) => {
      const url = readServerUrl(body.url, { allowHttp: httpCodeHosts });
      if (!/^[!-~]+$/.test(body.token)) throw tokenInvalid();
      return transaction(async (tx, workspace) => {
        const [there] = await tx.many<{ id: string }>(sql`
          select id from gitea_connection
           where organization_id = ${workspace.organization_id} and url = ${url}`);
        const id = there?.id ?? randomUUID();
        const token = codeHostSealing.seal(Buffer.from(body.token), tokenContext({ id, url }));
        const { item } = await tx.one<{ item: string | null }>(
          connected(workspace, { id, url, token }, requestId),
        );
        if (item === null) throw tooManyConnections();
        await tx.many(adopted(workspace.organization_id, id, url));
        return { status: 201, body: item };
      });
    },
  });

// The workspace is locked, so what is counted stays until the commit.
const connected = (
  { organization_id, ...caller }: Workspace & Caller,
  { id, url, token }: { id: string; url: string; token: Sealed },
  requestId: string,
): Sql => sql`
  with ${actor(caller)},
  former as materialized (
    select c as row from gitea_connection c where c.id = ${id}),
  changed as (
    insert into gitea_connection as t (id, organization_id, url, token, token_key_id)
    select ${id}, ${organization_id}, ${url}, ${token.sealed}, ${token.keyId}
     where (select count(*) from gitea_connection
             where organization_id = ${organization_id} and id <> ${id}) < ${MOST_CONNECTIONS}
    on conflict (id) do update
       set token = excluded.token, token_key_id = excluded.token_key_id,
           account_id = null, account_login = null, account_asked_at = '-infinity',
           updated_at = clock_timestamp()
    returning t as row),
  audited as (${auditRow({
    action: 'gitea.connect',
    requestId,
    target: sql`(changed.row).id`,
    organization: sql`(changed.row).organization_id`,
    project: sql`null::uuid`,
    before: sql`(select ${connectionSnapshot(sql`former.row`)} from former)`,
    after: connectionSnapshot(sql`changed.row`),
    from: sql`changed`,
  })})
  select (select ${giteaConnection.json} from changed, lateral (select (changed.row).*) t) as item`;

// Repositories of a connection that was removed, and those that a refused token had stopped.
const adopted = (organizationId: string, id: string, url: string): Sql => sql`
  update repository r set connection_id = ${id}, looked_at = '-infinity'
    from project p
   where p.id = r.project_id and p.organization_id = ${organizationId}
     and r.host = 'gitea' and r.host_url = ${url}`;
