import Type from 'typebox';
import { type Sql, sql } from '../../db/sql.ts';
import { apiError } from '../../http/errors.ts';
import { boolean, nullable, object, text, uuid } from '../../http/input/fields.ts';
import { name } from '../../http/input/names.ts';
import { resource } from '../../http/resource.ts';
import { timestamp } from '../../http/timestamps.ts';

/** The caller as a user, from a row `t` of `app_user`. */
export const account = resource('Account', {
  id: [uuid(), sql`t.id`, '7c9e6679-7425-40de-944b-e07fc1f90ae7'],
  email: [Type.String(), sql`t.email`, 'ada@example.com'],
  // Names that were imported follow a looser rule than those that people give themselves.
  name: [
    Type.Optional(text({ minLength: 1, maxLength: 200, description: 'Left out without one.' })),
    sql`t.name`,
    'Ada Lovelace',
  ],
  mail_warnings: [
    boolean({
      description:
        'Whether warnings about balances and cards are sent by mail: your own, and those of ' +
        'workspaces that you administer.',
    }),
    sql`t.mail_warnings`,
    true,
    'writable',
  ],
  two_factor_enabled: [boolean(), sql`t.two_factor`, true],
  created_at: [timestamp(), sql`t.created_at`, '2026-11-20T09:00:00.000Z'],
  updated_at: [timestamp(), sql`t.updated_at`, '2026-11-21T08:15:30.123Z'],
});

/** The body of an update. The other fields may be sent back and are ignored. */
export const accountChanges = object({
  ...account.changes.properties,
  name: Type.Optional(nullable(name({ maxLength: 200 }), { description: '`null` removes it.' })),
});

/** What a caller may change of a row of `app_user`, as jsonb for the audit trail. */
export const accountSnapshot = (row: Sql): Sql =>
  sql`jsonb_build_object('name', (${row}).name, 'mail_warnings', (${row}).mail_warnings)`;

export const accountChanged = apiError(
  412,
  'account_changed',
  'The account has changed since you read it: read it again, then update it',
);
