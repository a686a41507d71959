import { violatedConstraint } from '../db/database/errors.ts';
import type { ApiErrorKind, FieldErrorKind } from './errors.ts';
import type { Input, Route } from './route.ts';

/**
 * When a statement violates a constraint, the operation's declared error with the constraint's name
 * is thrown: `team_name_taken` is a unique index and a 422 at `["body","name"]`. Every other error
 * stays as it is.
 */
export function declaredError(route: Route, input: Input, error: unknown): unknown {
  const constraint = violatedConstraint(error);
  if (constraint === '') return error;
  const declared = route.errors.find((each) => nameOf(each) === constraint);
  if (declared === undefined) return error;
  if (!('item' in declared)) return declared();
  const [place, ...path] = declared.item.loc;
  const parts: Record<string, unknown> = {
    path: input.params,
    query: input.query,
    body: input.body,
  };
  return declared(
    path.reduce(
      (value, name) => (value as Record<string, unknown>)?.[name],
      parts[place as string],
    ),
  );
}

const nameOf = (error: ApiErrorKind | FieldErrorKind): string =>
  'item' in error ? error.item.type : error.code;
