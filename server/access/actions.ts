import Type from 'typebox';
import { type Sql, sql } from '../db/sql.ts';
import { type BuiltInRole, may, type Permission, rolesThatMay } from './roles.ts';

/**
 * Operations on one object by their `operationId`, each with the permission that it requires: the
 * one in the operation's own access. A test holds them equal.
 */
export type Actions = Record<string, Permission | ConditionalAction>;

/** An operation that also depends on the state of the object or of the caller. */
interface ConditionalAction {
  permission: Permission;
  /** Without this, the operation answers 409 even to someone who has the permission. */
  when?: Sql;
  /** With this, the operation is open to someone who does not have the permission. */
  or?: Sql;
}

const ROLES: readonly BuiltInRole[] = ['owner', 'admin', 'member', 'viewer'];

/** Whether an operation changes nothing, so that a read-only key may call it: its name says so. */
export const reads = (operationId: string): boolean => /^(get|list|export)_/.test(operationId);

/** The schema of `available_actions`. */
export const actionsSchema = () =>
  Type.Array(Type.String(), {
    description: 'The operations on this object that the caller may call now.',
  });

/**
 * The operations that the caller, who acts as the built-in role `actsAs`, may call now: a JSON
 * array of their names. A read-only key changes nothing.
 */
export function availableActions(actsAs: Sql, actions: Actions): Sql {
  const always = (role: BuiltInRole, kind: 'read' | 'write') =>
    Object.entries(actions)
      .filter(([name, rule]) => typeof rule === 'string' && may(role, rule) && is(kind, name))
      .map(([name]) => `"${name}"`)
      .join(',');
  const ofRole = (kind: 'read' | 'write') =>
    sql`case ${actsAs} ${spaced(ROLES.map((role) => sql`when ${role} then ${always(role, kind)}`))} end`;
  const conditional = Object.entries(actions).flatMap(([name, rule]) =>
    typeof rule === 'string' ? [] : [actionIf(name, rule, actsAs)],
  );
  const parts = [
    sql`nullif(${ofRole('read')}, '')`,
    sql`case when ${MAY_WRITE} then nullif(${ofRole('write')}, '') end`,
    ...conditional,
  ];
  return sql`('[' || concat_ws(',', ${commas(parts)}) || ']')`;
}

const MAY_WRITE = sql`not (select read_only from caller)`;

const is = (kind: 'read' | 'write', name: string) => reads(name) === (kind === 'read');

function actionIf(name: string, { permission, when, or }: ConditionalAction, actsAs: Sql): Sql {
  const conditions = [
    ...(reads(name) ? [] : [MAY_WRITE]),
    or === undefined
      ? sql`${actsAs} = any(${rolesThatMay(permission)}::text[])`
      : sql`(${actsAs} = any(${rolesThatMay(permission)}::text[]) or ${or})`,
    ...(when === undefined ? [] : [when]),
  ];
  const all = conditions.reduce((first, second) => sql`${first} and ${second}`);
  return sql`case when ${all} then ${`"${name}"`} end`;
}

const spaced = (parts: Sql[]): Sql => parts.reduce((all, part) => sql`${all} ${part}`);
const commas = (parts: Sql[]): Sql => parts.reduce((all, part) => sql`${all}, ${part}`);
