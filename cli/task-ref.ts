import { InvalidArgumentError } from 'commander';
import type { Database } from '../server/db/database/database.ts';
import { sql } from '../server/db/sql.ts';
import { parseUuid } from '../server/http/input/uuid.ts';
import { Failure } from './failure.ts';

/** The id of a task, or its first characters: the dashboard and branches show eight of them. */
export type TaskRef = string;

const SHORTEST = 8;

/** Reads the id of a task, or how it begins, from the command line. */
export function readTaskRef(text: string): TaskRef {
  const id = parseUuid(text);
  if (id.ok) return id.uuid;
  const beginning = text.toLowerCase();
  const rest = UUID_DIGITS.slice(beginning.length);
  if (beginning.length < SHORTEST || !parseUuid(beginning + rest).ok)
    throw new InvalidArgumentError(
      `It is not the id of a task, nor its first ${SHORTEST} or more characters: \`tasks list\` shows the ids.`,
    );
  return beginning;
}

/** The id of the one task that is meant. Throws a Failure where there is none, or several. */
export async function taskIdOf(db: Pick<Database, 'read'>, ref: TaskRef): Promise<string> {
  if (ref.length === UUID_DIGITS.length) return ref;
  const ids = await tasksThatBegin(db, ref);
  const [id] = ids;
  if (id === undefined) throw unknownTask(ref);
  if (ids.length > 1)
    throw new Failure(`Several tasks begin with ${ref}: give more of the id, such as ${id}.`);
  return id;
}

export const unknownTask = (ref: TaskRef): Failure =>
  new Failure(`There is no task ${ref}. \`tasks list --status any\` lists all of them.`);

const UUID_DIGITS = '00000000-0000-0000-0000-000000000000';

/** Two at most, by the index of the ids. */
async function tasksThatBegin(db: Pick<Database, 'read'>, beginning: string): Promise<string[]> {
  const first = beginning + UUID_DIGITS.slice(beginning.length);
  const last = beginning + UUID_DIGITS.replaceAll('0', 'f').slice(beginning.length);
  const tasks = await db.read<{ id: string }>(sql`
    select id from task where id between ${first} and ${last} order by id limit 2`);
  return tasks.map(({ id }) => id);
}
