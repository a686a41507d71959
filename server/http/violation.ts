import { violatedConstraint } from '../db/database/errors.ts';
import { type ApiErrorKind, type FieldErrorKind, notAuthenticated } from './errors.ts';
import type { Operation } from './public-route.ts';

/**
 * When a statement violates a constraint, the operation's declared error with the constraint's name
 * is thrown: `team_name_taken` is a unique index and a 422 at `["body","name"]`. A caller who has
 * deleted their account meanwhile is nobody. Every other error stays as it is.
 */
export function declaredError(route: Pick<Operation, 'errors'>, error: unknown): unknown {
  const constraint = violatedConstraint(error);
  if (constraint === '') return error;
  if (constraint === 'person_deleted') return notAuthenticated();
  const declared = route.errors.find((each) => nameOf(each) === constraint);
  return declared === undefined ? error : declared();
}

const nameOf = (error: ApiErrorKind | FieldErrorKind): string =>
  'item' in error ? error.item.type : error.code;
