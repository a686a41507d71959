import type { Tx } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';

/** Who may use an installation: the projects of a workspace, or the personal ones of a person. */
export type Connecting = { organizationId: string } | { userId: string };

/** A row of the list of connections. */
export interface Connection {
  installation_id: string;
  account_login: string;
  suspended: boolean;
  deleted: boolean;
  organization_id: string | null;
  organization_name: string | null;
  user_id: string | null;
  user_email: string | null;
}

const ownerOf = (to: Connecting) => ({
  organizationId: 'organizationId' in to ? to.organizationId : null,
  userId: 'userId' in to ? to.userId : null,
});

/**
 * Connects an installation that has been refreshed. Returns the id of the connection, and whether
 * it is new; undefined if there is no such workspace or person.
 */
export async function connect(
  tx: Pick<Tx, 'many'>,
  installationId: number,
  to: Connecting,
): Promise<{ id: string; isNew: boolean } | undefined> {
  const { organizationId, userId } = ownerOf(to);
  const exists = await tx.many(sql`
    select from organization where id = ${organizationId}
    union all select from app_user where id = ${userId} and is_active`);
  if (exists.length === 0) return undefined;
  const [made] = await tx.many<{ id: string }>(sql`
    insert into github_connection (installation_id, organization_id, user_id)
    values (${installationId}, ${organizationId}, ${userId})
    on conflict do nothing returning id`);
  if (made !== undefined) {
    await tx.many(adopted(installationId, { organizationId, userId }));
    return { id: made.id, isNew: true };
  }
  const [there] = await tx.many<{ id: string }>(sql`
    select id from github_connection
     where installation_id = ${installationId}
       and (organization_id = ${organizationId} or user_id = ${userId})`);
  return there && { id: there.id, isNew: false };
}

// An App that is removed and installed again is another installation of the same account: its
// repositories go on with that one, and are refreshed before long.
const adopted = (
  installationId: number,
  { organizationId, userId }: { organizationId: string | null; userId: string | null },
): Sql => sql`
  update repository r set installation_id = ${installationId}, looked_at = '-infinity'
    from github_installation former, github_installation i, project p
   where former.id = r.installation_id and former.deleted_at is not null
     and i.id = ${installationId} and lower(i.account_login) = lower(former.account_login)
     and p.id = r.project_id
     and (p.organization_id = ${organizationId} or p.owner_user_id = ${userId})`;

/** Ends a connection. Returns its id, or undefined if there is none. */
export async function disconnect(
  tx: Pick<Tx, 'many'>,
  installationId: number,
  from: Connecting,
): Promise<string | undefined> {
  const { organizationId, userId } = ownerOf(from);
  const [row] = await tx.many<{ id: string }>(sql`
    delete from github_connection
     where installation_id = ${installationId}
       and (organization_id = ${organizationId} or user_id = ${userId})
    returning id`);
  return row?.id;
}

/** Every connection, by the login of its account. */
export const listConnections = (tx: Pick<Tx, 'many'>): Promise<Connection[]> =>
  tx.many<Connection>(sql`
    select i.id::text as installation_id, i.account_login, i.suspended_at is not null as suspended,
           i.deleted_at is not null as deleted, c.organization_id, o.name as organization_name,
           c.user_id, u.email as user_email
      from github_connection c
      join github_installation i on i.id = c.installation_id
      left join organization o on o.id = c.organization_id
      left join app_user u on u.id = c.user_id
     order by lower(i.account_login), i.id, c.created_at`);
