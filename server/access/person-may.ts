import { type Sql, sql } from '../db/sql.ts';
import { type Permission, rolesThatMay } from './roles.ts';

/**
 * SQL: whether a person `person` of the view `project_person` has a permission on that project now,
 * for what is done or told without a request of theirs.
 */
export const personMay = (permission: Permission): Sql => sql`
  (person.hidden_reason is null and person.acts_as = any(${rolesThatMay(permission)}::text[]))`;
