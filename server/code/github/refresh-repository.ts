import type { Database } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { HostRepository } from '../hosts/code-host.ts';
import { HostError, type HostErrorCode } from '../hosts/host-error.ts';
import type { GitHub } from './app.ts';
import { readRepository } from './read-repository.ts';

/** Why a repository that a project uses cannot be used now. */
const REASONS: Partial<Record<HostErrorCode, string>> = {
  github_installation_gone: 'installation_gone',
  github_installation_suspended: 'installation_suspended',
  github_permission_missing: 'permission_missing',
  github_repository_gone: 'repository_gone',
};

/** A row of `repository` on GitHub. */
export interface RepositoryOnGitHub {
  id: string;
  installation_id: string;
  host_repository_id: string;
}

/**
 * Asks GitHub about a repository that a project uses, and stores its name, its default branch, and
 * whether it can be used. Throws a HostError if that cannot be told now.
 */
export async function refreshRepository(
  db: Pick<Database, 'many'>,
  github: GitHub,
  { id, installation_id, host_repository_id }: RepositoryOnGitHub,
): Promise<void> {
  const [installationId, repositoryId] = [Number(installation_id), Number(host_repository_id)];
  try {
    await db.many(seen(id, await readRepository(github, { installationId, repositoryId })));
  } catch (error) {
    const reason = error instanceof HostError ? REASONS[error.code] : undefined;
    if (reason === undefined) throw error;
    await db.many(unavailable(id, reason));
  }
}

// A transferred repository belongs to another account, whose installation it is not in any more.
const seen = (id: string, { fullName, defaultBranch }: HostRepository): Sql => sql`
  update repository
     set full_name = ${fullName}, default_branch = ${defaultBranch}, unavailable_reason = null,
         looked_at = now(),
         updated_at = case when (full_name, default_branch, unavailable_reason)
                                is distinct from (${fullName}, ${defaultBranch}, null::text)
                           then now() else updated_at end
   where id = ${id}`;

const unavailable = (id: string, reason: string): Sql => sql`
  update repository
     set unavailable_reason = ${reason}, looked_at = now(),
         updated_at = case when unavailable_reason is distinct from ${reason}
                           then now() else updated_at end
   where id = ${id}`;
