import { InvalidArgumentError } from 'commander';
import { parseUuid } from '../server/http/input/uuid.ts';
import { Failure } from './failure.ts';

/** Reads the id of a task from the command line. */
export function readTaskId(text: string): string {
  const id = parseUuid(text);
  if (!id.ok)
    throw new InvalidArgumentError('It is not the id of a task: `tasks list` shows the ids.');
  return id.uuid;
}

export const unknownTask = (id: string): Failure =>
  new Failure(`There is no task ${id}. \`tasks list --status any\` lists all of them.`);
