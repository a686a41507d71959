import type { Tx } from '../server/db/database/database.ts';
import { sql } from '../server/db/sql.ts';

/**
 * Records a change made on the command line, where no key identifies an actor, in the transaction
 * of that change (ruling 1.17).
 */
export async function recordFromCli(
  tx: Pick<Tx, 'many'>,
  change: {
    id?: string;
    action: string;
    target: string;
    organizationId?: string;
    projectId?: string;
    before?: object;
    after?: object;
  },
): Promise<void> {
  await tx.many(sql`
    insert into audit_event (id, action, outcome, target_id, organization_id, project_id, before,
                             after, request_id, for_operators)
    values (coalesce(${change.id ?? null}::uuid, uuid_v7()), ${change.action}, 'done',
            ${change.target}, ${change.organizationId ?? null}, ${change.projectId ?? null},
            ${change.before ?? null}, ${change.after ?? null}, 'cli', true)`);
}
