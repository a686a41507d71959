import type { Database } from '../../db/database/database.ts';
import type { Caller } from '../../http/caller.ts';
import { recordChange } from '../../platform/audit/audit.ts';
import { NO_COMMIT } from '../repositories/git.ts';
import type { GitRepository } from './access.ts';
import type { Command } from './commands.ts';
import { nameOf } from './writable-refs.ts';

/**
 * Records a push past tasks before its references move, so that none is missing in the audit trail:
 * a push that loses a race for a branch afterwards is there, too.
 */
export async function recordDirect(
  db: Pick<Database, 'many'>,
  { repository_id, project_id, organization_id, ...caller }: GitRepository & Caller,
  commands: readonly Command[],
  requestId: string,
): Promise<void> {
  if (commands.length === 0) return;
  const commits = (of: 'from' | 'to') =>
    Object.fromEntries(
      commands.map(({ ref, [of]: id }) => [
        nameOf(ref).slice('refs/heads/'.length),
        id === NO_COMMIT ? null : id,
      ]),
    );
  await recordChange(db, {
    caller,
    action: 'repository.push',
    target: repository_id,
    organizationId: organization_id,
    projectId: project_id,
    before: { branches: commits('from') },
    after: { branches: commits('to') },
    requestId,
  });
}
