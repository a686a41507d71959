import Type from 'typebox';
import { contains } from '../db/search.ts';
import { nothing, type Sql, sql } from '../db/sql.ts';
import { boolean, oneOf, text, uuid } from '../http/input/fields.ts';
import type { ListParts } from '../http/list.ts';
import { RESTING } from './shown-status.ts';
import type { TaskResource } from './task.ts';
import type { TaskStatus } from './task-states.ts';

/** What narrows a list of tasks, beside the status, and its order. */
export const filters = {
  created_by: Type.Optional(uuid({ description: 'Only tasks that this person created.' })),
  model: Type.Optional(
    text({
      minLength: 1,
      maxLength: 100,
      description: 'Only tasks that this model works on, by their own choice or that of a default.',
    }),
  ),
  archived: boolean({ default: false, description: 'Archived tasks instead of the others.' }),
  q: Type.Optional(
    text({
      minLength: 1,
      maxLength: 200,
      description: 'Only tasks whose title contains this, without regard to case.',
    }),
  ),
  sort: Type.Optional(
    oneOf(['created', 'updated'], {
      default: 'created',
      description: '`created`: the newest first. `updated`: those that changed last first.',
    }),
  ),
};

interface Filters {
  created_by?: string;
  model?: string;
  archived: boolean;
  q?: string;
}

/**
 * SQL: `and …`, what the filters let through of a task `t`. `projectModel`: the default model of its
 * project.
 */
export const filtered = (
  { shownModel }: TaskResource,
  { created_by, model, archived, q }: Filters,
  projectModel: Sql,
): Sql => sql`
  and t.archived_at is ${archived ? sql`not null` : sql`null`}
  ${created_by === undefined ? nothing : sql`and t.created_by_user_id = ${created_by}`}
  ${model === undefined ? nothing : sql`and ${shownModel(projectModel)} = ${model}`}
  ${q === undefined ? nothing : sql`and ${contains(sql`t.title`, q)}`}`;

/** SQL: what a list of tasks `t` is sorted by, descending: an index of a project serves each. */
export const sortedBy = (sort: 'created' | 'updated' = 'created'): Sql =>
  sort === 'updated' ? sql`t.updated_at` : sql`t.created_at`;

export const orderOf = (sort?: 'created' | 'updated'): ListParts['order'] => [
  { by: sortedBy(sort), type: 'timestamptz' },
  { by: sql`t.id`, type: 'uuid' },
];

/**
 * SQL: whether a task `t` shows this status. The stored status stands by itself, so that the index
 * on it is used. The shown one differs where a start waits: see shownStatus. Workers take those at
 * once, so that there are few.
 */
export function shows(status: TaskStatus): Sql {
  if (status === 'queued')
    return sql`(t.status = 'queued'
                or t.status = any(${RESTING}::text[])
                   and t.id = any(array(select task_id from waiting_start)))`;
  if (RESTING.includes(status))
    return sql`(t.status = ${status}
                and (select true from waiting_start s where s.task_id = t.id limit 1) is not true)`;
  return sql`t.status = ${status}`;
}
