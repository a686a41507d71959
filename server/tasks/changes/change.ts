import Type from 'typebox';
import { jsonObject, jsonToken } from '../../db/json.ts';
import { sql } from '../../db/sql.ts';
import { uuid } from '../../http/input/fields.ts';
import { timestamp, timestampSql } from '../../http/timestamps.ts';

/** A task that has changed: which one, and nothing that a right might hide. */
export const taskChange = Type.Object(
  {
    task_id: uuid(),
    project_id: uuid(),
    updated_at: Type.Optional(
      timestamp({
        description:
          'When the task changed last; what it costs, its plan and its pull request change without ' +
          'it. Left out for a task that was deleted.',
      }),
    ),
  },
  { $id: 'TaskChange' },
);

/** A change of a task as JSON text, or of a project with all of its tasks (null). */
export interface Change {
  project_id: string;
  json: string | null;
}

/** SQL: `json` of rows `c` of `task_change`, with their tasks `t`, if there are any. */
export const changeColumns = sql`
  case when c.object_id <> c.project_id then ${jsonObject({
    task_id: jsonToken(sql`c.object_id`),
    project_id: jsonToken(sql`c.project_id`),
    updated_at: jsonToken(timestampSql(sql`t.updated_at`)),
  })} end as json`;
