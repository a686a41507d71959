import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { HostError } from '../hosts/host-error.ts';
import type { Api, GitHub } from './app.ts';

/** Of an installation, what is stored. */
interface Installation {
  login: string;
  type: 'User' | 'Organization' | 'Enterprise';
  selection: 'all' | 'selected';
  permissions: Record<string, string>;
  suspendedAt: string | null;
}

/**
 * Asks GitHub about an installation and stores what it says. Returns undefined if it is gone, which
 * is stored too. Throws a HostError.
 */
export async function refreshInstallation(
  db: Pick<Database, 'many'>,
  github: GitHub,
  id: number,
): Promise<Installation | undefined> {
  const found = await read(github.app, id);
  if (await store(db, id, found)) {
    // Tokens from before may allow more or less than is allowed now, and so may its repositories.
    github.forget(id);
    await db.many(sql`
      update repository set looked_at = '-infinity' where installation_id = ${id}`);
  }
  return found;
}

async function read(app: Api, installation_id: number): Promise<Installation | undefined> {
  try {
    const { data } = await app.request('GET /app/installations/{installation_id}', {
      installation_id,
    });
    const account = (data.account ?? {}) as { login?: string; slug?: string; type?: string };
    return {
      login: account.login ?? account.slug ?? String(installation_id),
      // An Enterprise has a slug and no login.
      type: account.login === undefined ? 'Enterprise' : typeOf(account.type),
      selection: data.repository_selection,
      permissions: data.permissions as Record<string, string>,
      suspendedAt: data.suspended_at,
    };
  } catch (error) {
    if (error instanceof HostError && error.notFound) return undefined;
    throw error;
  }
}

const typeOf = (type: string | undefined) => (type === 'User' ? 'User' : 'Organization');

/** Returns whether what the installation may do has changed. */
async function store(
  db: Pick<Database, 'many'>,
  id: number,
  found: Installation | undefined,
): Promise<boolean> {
  if (found === undefined) {
    const rows = await db.many(sql`
      update github_installation
         set deleted_at = coalesce(deleted_at, now()), looked_at = now()
       where id = ${id} returning id`);
    return rows.length > 0;
  }
  const { login, type, selection, permissions, suspendedAt } = found;
  const [row] = await db.many<{ changed: boolean }>(sql`
    with before as (select * from github_installation where id = ${id})
    insert into github_installation as i (id, account_login, account_type, repository_selection,
                                          permissions, suspended_at)
    values (${id}, ${login}, ${type}, ${selection}, ${permissions}, ${suspendedAt})
    on conflict (id) do update
       set account_login = excluded.account_login,
           account_type = excluded.account_type,
           repository_selection = excluded.repository_selection,
           permissions = excluded.permissions,
           suspended_at = excluded.suspended_at,
           deleted_at = null,
           looked_at = now()
    returning (select (b.permissions, b.repository_selection, b.suspended_at, b.deleted_at)
                      is distinct from
                      (i.permissions, i.repository_selection, i.suspended_at, i.deleted_at)
                 from before b) as changed`);
  return row?.changed ?? false;
}
