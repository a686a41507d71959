import { parseUuid } from '../server/http/input/uuid.ts';
import type { UserRef } from '../server/identity/users/users.ts';
import { Failure } from './failure.ts';
import { clean } from './world/clean.ts';

/** Reads an argument that names a user: their email address or id. */
export function readUserRef(text: string): UserRef {
  const id = parseUuid(text);
  return id.ok ? { id: id.uuid } : { email: clean(text) };
}

export const unknownUser = (ref: UserRef): Failure =>
  new Failure(
    'id' in ref
      ? `No user has the id ${ref.id}: \`users list\` shows the ids.`
      : `No user has the email address ${ref.email}: \`users list\` shows the addresses.`,
  );
