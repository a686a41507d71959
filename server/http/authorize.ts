import { sqlState } from '../db/database/database.ts';
import { nothing, type Sql, sql } from '../db/sql.ts';
import {
  type Credential,
  callerSql,
  type Demands,
  invalidCredential,
  NO_DEMANDS,
} from './authenticate.ts';
import type { Caller } from './caller.ts';
import {
  forbidden,
  keyOutOfScope,
  keyReadOnly,
  notFound,
  operatorRequired,
  personalProjectsClosed,
  projectCreationClosed,
  proofRequired,
  twoFactorRequired,
  workspaceCreationClosed,
} from './errors.ts';
import { PROOF_MINUTES } from './session-cookie.ts';

/**
 * An operation's part of its statement: common table expressions, and the select of its one row.
 */
export interface StatementParts {
  with?: Sql;
  select: Sql;
}

/**
 * The columns that say who the caller is and whether the request is allowed. No part of a statement
 * may use a name that begins with `$`.
 */
export interface Verdict {
  $user: string | null;
  $key: string | null;
  $session: string | null;
  $found: boolean | null;
  $denied: string | null;
}

/**
 * Whether a statement reads or writes. In a writing one, a refusal is an error of the statement,
 * which undoes what it wrote.
 */
export type StatementKind = 'read' | 'write';

/**
 * The complete statement of a request: credential, access and the operation's part. `authorized` is
 * the access row of a caller who has the permission, and empty for anyone else. The verdict follows
 * the operation's columns, so that none of them can replace it.
 */
export function compose(
  credential: Credential,
  access: Sql,
  { with: more, select }: StatementParts,
  kind: StatementKind,
  writes: boolean,
  demands: Demands = NO_DEMANDS,
): Sql {
  for (const part of [access, more, select]) if (part !== undefined) requireOwnNames(part);
  const denied = deniedBecause(writes, demands.proof && credential.kind === 'session');
  return sql`with ${callerSql(credential, demands)}, ${access},
    authorized as materialized (
      select access.* from access cross join caller where ${denied} is null)${
        more === undefined ? nothing : sql`, ${more}`
      }
    select access.*, page.*,
           caller.user_id as "$user", caller.key_id as "$key", caller.session_id as "$session",
           access.found as "$found", ${kind === 'read' ? denied : refused(denied)} as "$denied"
      from (values (true)) request
      left join caller on true left join access on true left join (${select}) page on true`;
}

const deniedBecause = (writes: boolean, proof: boolean): Sql => sql`
  case when ${writes ? sql`caller.read_only` : sql`false`} then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       ${proof ? sql`when access.denied_because is null and ${UNPROVEN} then 'proof_required'` : nothing}
       else access.denied_because end`;

const UNPROVEN = sql`
            (caller.proven_at > now() - make_interval(mins => ${PROOF_MINUTES}))
            is not true`;

const refused = (denied: Sql): Sql => sql`
  case when caller.user_id is null then deny('unauthenticated')
       when access.found is null then deny('not_found')
       else deny(${denied}) end`;

/** Texts without a column like those of the verdict: each is looked through once. */
const allowed = new WeakSet<Sql['strings']>();

/** Throws for a part of a statement that names a column like those of the verdict. */
function requireOwnNames({ strings }: Sql): void {
  if (allowed.has(strings)) return;
  for (const text of strings)
    if (text.includes('"$'))
      throw new Error(`a statement may not name a column that begins with $: ${text}`);
  allowed.add(strings);
}

/** The caller of a row. Errors: 401. */
export function callerOf(row: Verdict, credential: Credential): Caller {
  if (row.$user === null) throw invalidCredential(credential);
  return { userId: row.$user, keyId: row.$key, sessionId: row.$session };
}

/** Throws the 404 or 403 of a row whose caller is not allowed. */
export function requireRight({ $found, $denied }: Verdict): void {
  if ($found !== true) throw notFound();
  if ($denied !== null) throw denial($denied);
}

/** The refusal that `deny` raised in PostgreSQL, or undefined for any other error. */
export function denialOf(error: unknown, credential: Credential): Error | undefined {
  if (sqlState(error) !== 'GH403') return undefined;
  const reason = (error as Error).message;
  if (reason === 'unauthenticated') return invalidCredential(credential);
  return reason === 'not_found' ? notFound() : denial(reason);
}

/** Why a caller may not, by the code that an access rule gives. */
const DENIALS = new Map(
  [
    twoFactorRequired,
    keyReadOnly,
    keyOutOfScope,
    proofRequired,
    operatorRequired,
    workspaceCreationClosed,
    projectCreationClosed,
    personalProjectsClosed,
  ].map((kind) => [kind.code, kind]),
);

const denial = (reason: string): Error => (DENIALS.get(reason) ?? forbidden)();
