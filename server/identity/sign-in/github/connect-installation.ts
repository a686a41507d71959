import { lockWorkspace } from '../../../access/workspace.ts';
import {
  type Connecting,
  connect,
  type GitHub,
  HostError,
  refreshInstallation,
} from '../../../code/index.ts';
import type { Database, Tx } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import { recordChange } from '../../../platform/audit/audit.ts';
import type { BrowserSession } from '../providers/browser-session.ts';
import type { GithubPeople } from '../providers/github.ts';
import { ProviderError } from '../providers/provider.ts';

/**
 * Whether a person at GitHub may connect an installation: they reach it, and see every repository
 * that it has. GitHub also names installations of which someone can read one repository, but
 * whoever connects one sees the names of all. Throws a ProviderError.
 */
export async function mayConnect(
  { github, people }: { github: GitHub; people: GithubPeople },
  token: string,
  installationId: number,
): Promise<boolean> {
  const reached = await people.installationsOf(token);
  if (!reached.includes(installationId)) return false;
  const [seen, all] = await Promise.all([
    people.repositoriesOf(token, installationId),
    asking(async () => {
      const scope = { installationId, permissions: { metadata: 'read' as const } };
      const { data } = await github
        .as(scope)
        .request('GET /installation/repositories', { per_page: 1 });
      return data.total_count;
    }),
  ]);
  return seen === all;
}

/** Runs what asks GitHub as the App. Throws a ProviderError. */
export async function asking<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof HostError ? new ProviderError('provider_unavailable', error) : error;
  }
}

/**
 * Connects an installation to a workspace that the person owns or administers, or to themselves, as
 * `guildhall github connect` does. Returns a code if it cannot.
 */
export async function connectInstallation(
  db: Database,
  github: GitHub,
  connecting: {
    installationId: number;
    session: BrowserSession;
    organizationId: string | null;
    requestId: string;
  },
): Promise<'forbidden' | 'installation_not_yours' | undefined> {
  const { installationId, session, organizationId, requestId } = connecting;
  const found = await asking(() => refreshInstallation(db, github, installationId));
  if (found === undefined) return 'installation_not_yours';
  return db.transaction(async (tx) => {
    if (organizationId !== null && !(await administers(tx, session.userId, organizationId)))
      return 'forbidden';
    const to: Connecting =
      organizationId === null ? { userId: session.userId } : { organizationId };
    const made = await connect(tx, installationId, to);
    if (made === undefined) return 'forbidden';
    if (made.isNew)
      await recordChange(tx, {
        caller: { userId: session.userId, keyId: null, sessionId: session.id },
        action: 'github.connect',
        target: made.id,
        organizationId,
        before: {},
        after: {
          installation_id: installationId,
          ...(organizationId === null && { user_id: session.userId }),
        },
        requestId,
      });
    return undefined;
  });
}

/** Whether a person is an owner or admin of a workspace, which is locked. */
export async function administers(
  tx: Pick<Tx, 'many'>,
  userId: string,
  organizationId: string,
): Promise<boolean> {
  await tx.many(lockWorkspace(organizationId));
  const rows = await tx.many(sql`
    select from membership m
      join organization o on o.id = m.organization_id
      join role r on r.id = m.role_id
      join app_user u on u.id = m.user_id
     where m.organization_id = ${organizationId} and m.user_id = ${userId} and u.is_active
       and (u.two_factor or not o.require_2fa)
       and (o.owner_user_id = m.user_id or r.acts_as = 'admin')`);
  return rows.length > 0;
}
