import type { Route } from '../../http/route.ts';
import { membersOf } from './members.ts';

/**
 * How another tenant's id in a query or a body is refused, and an unknown one (rulings 3.2, 5.3,
 * 6).
 */
export interface IdField {
  kind:
    | 'user'
    | 'card'
    | 'role'
    | 'team'
    | 'workspace'
    | 'project'
    | 'task'
    | 'attachment'
    | 'option'
    | 'connection';
  foreign: string;
  unknown: string;
  /** A field of the sample that may not be sent together with this one. */
  without?: string;
}

const person: IdField = {
  kind: 'user',
  foreign: '422 not_a_member',
  unknown: '422 not_a_member',
};

const filter = { foreign: '200 empty', unknown: '200 empty' };

/** By the name of the field: a name means the same in every operation. */
const ID_FIELDS: Record<string, IdField> = {
  transfer_balance_to_user_id: person,
  new_owner_user_id: person,
  on_behalf_of_user_id: {
    kind: 'user',
    foreign: '422 on_behalf_of_wrong',
    unknown: '422 on_behalf_of_wrong',
  },
  team_id: { kind: 'team', ...filter },
  actor_user_id: { kind: 'user', ...filter },
  created_by: { kind: 'user', ...filter },
  target_id: { kind: 'user', ...filter },
  payment_method_id: {
    kind: 'card',
    foreign: '403 payment_method_forbidden',
    unknown: '404 payment_method_not_found',
  },
  organization_id: { kind: 'workspace', foreign: '403 forbidden', unknown: '404 not_found' },
  role_id: {
    kind: 'role',
    foreign: '422 role_not_found',
    unknown: '422 role_not_found',
    without: 'role',
  },
  replace_with: { kind: 'role', foreign: '422 role_not_found', unknown: '422 role_not_found' },
  team_ids: { kind: 'team', foreign: '422 team_not_found', unknown: '422 team_not_found' },
  // That of the own workspace, and of a repository that has one, is tried in gitea.test.ts.
  connection_id: {
    kind: 'connection',
    foreign: '422 connection_of_other_host',
    unknown: '422 connection_of_other_host',
  },
  option_id: {
    kind: 'option',
    foreign: '422 option_not_found',
    unknown: '422 option_not_found',
  },
  attachment_ids: {
    kind: 'attachment',
    foreign: '422 attachment_not_found',
    unknown: '422 attachment_not_found',
  },
};

/** A filter narrows a list where the same name in a body is a place to act in. */
const ID_FILTERS: Record<string, IdField> = {
  organization_id: { kind: 'workspace', ...filter },
  project_id: { kind: 'project', ...filter },
  task_id: { kind: 'task', ...filter },
  user_id: { kind: 'user', ...filter },
};

/** A stream of one project ends with the right to open it, so it does not begin without. */
const OF_OPERATIONS: Record<string, Record<string, IdField>> = {
  list_task_changes: {
    project_id: { kind: 'project', foreign: '403 forbidden', unknown: '404 not_found' },
  },
};

/** What is known of a field with ids; undefined if it is missing above. */
export const idField = (
  place: 'query' | 'body',
  name: string,
  { operationId }: Pick<Route, 'operationId'>,
): IdField | undefined =>
  OF_OPERATIONS[operationId]?.[name] ??
  (place === 'query' ? ID_FILTERS[name] : undefined) ??
  ID_FIELDS[name];

/** The ids that an operation takes in its query or body. */
export function idFieldsOf(route: Route, place: 'query' | 'body'): string[] {
  const isId = (name: string, schema: { format?: string; readOnly?: boolean }) =>
    !schema.readOnly &&
    // A number that a tax office gave.
    name !== 'tax_id' &&
    (schema.format === 'uuid' || /(^|_)ids?$/.test(name));
  return membersOf(route[place])
    .filter((member) => isId(...member))
    .map(([name]) => name);
}
