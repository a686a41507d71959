import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';

/** The branch that a task begins with, if it is not the default one. */
export const chosenBase =
  (db: Database) =>
  async (taskId: string): Promise<string | undefined> => {
    const task = await db.maybeOne<{ base: string | null }>(
      sql`select base from task where id = ${taskId}`,
    );
    return task?.base ?? undefined;
  };
