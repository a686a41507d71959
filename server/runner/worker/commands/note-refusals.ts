import type { Database } from '../../../db/database/database.ts';
import { type Sql, sql } from '../../../db/sql.ts';
import type { NamedRefusal } from '../../network/network.ts';

/** Hosts that are reported for all commands of a commit. The logs name every one. */
const MOST = 20;

/**
 * Tells a task which hosts its commands were refused, each once for a purpose, however many of them
 * ask for it. `task`: SQL that yields its id, or no row. A worker that begins again tells again.
 */
export function noteRefusals(
  db: Pick<Database, 'many'>,
  task: Sql,
): { onRefused(refusal: NamedRefusal): void; noted(): Promise<void> } {
  const seen = new Set<string>();
  let noted: Promise<unknown> = Promise.resolve();
  const note = (refusal: NamedRefusal) =>
    db
      .many(sql`
        select note_task_event(found.id, 'notice', ${JSON.stringify(refusal)}::json)
          from (${task}) found (id)`)
      // The log of the command says it, too.
      .catch(() => {});
  return {
    onRefused(refusal) {
      if (seen.has(refusal.text) || seen.size >= MOST) return;
      seen.add(refusal.text);
      noted = noted.then(() => note(refusal));
    },
    noted: async () => void (await noted),
  };
}
