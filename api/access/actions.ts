import Type from 'typebox';
import { type Sql, sql } from '../db/sql.ts';
import { type BuiltInRole, may, type Permission, rolesThatMay } from './roles.ts';

/**
 * Operations on one object by their `operationId`, with the permission that each requires and, if
 * its state decides too, the condition. The permission is the one in the operation's own access; a
 * test holds them equal.
 */
export type Actions = Record<string, Permission | { permission: Permission; when: Sql }>;

const ROLES: readonly BuiltInRole[] = ['owner', 'admin', 'member', 'viewer'];

/** The schema of `available_actions`. */
export const actionsSchema = () =>
  Type.Array(Type.String(), {
    description: 'The operations on this object that the caller may call now.',
  });

/**
 * The operations that a caller who acts as the built-in role `actsAs` may call now: a JSON array of
 * their names.
 */
export function availableActions(actsAs: Sql, actions: Actions): Sql {
  const entries = Object.entries(actions);
  const always = (role: BuiltInRole) =>
    entries
      .flatMap(([name, rule]) => (typeof rule === 'string' && may(role, rule) ? [`"${name}"`] : []))
      .join(',');
  const byRole = ROLES.map((role) => sql`when ${role} then ${always(role)}`);
  const byState = entries.flatMap(([name, rule]) =>
    typeof rule === 'string'
      ? []
      : [
          sql`case when ${actsAs} = any(${rolesThatMay(rule.permission)}::text[]) and (${rule.when})
                   then ${`"${name}"`} end`,
        ],
  );
  const parts = [sql`nullif(case ${actsAs} ${spaced(byRole)} end, '')`, ...byState];
  return sql`('[' || concat_ws(',', ${commas(parts)}) || ']')`;
}

const spaced = (parts: Sql[]): Sql => parts.reduce((all, part) => sql`${all} ${part}`);
const commas = (parts: Sql[]): Sql => parts.reduce((all, part) => sql`${all}, ${part}`);
