import Type from 'typebox';
import { sql } from '../../db/sql.ts';
import { apiError } from '../../http/errors.ts';
import { uuid } from '../../http/input/fields.ts';
import { name } from '../../http/input/names.ts';
import { ROLE_SLUG, resource } from '../../http/resource.ts';
import { timestamp } from '../../http/timestamps.ts';

export const MOST_SERVICE_ACCOUNTS = 50;

/** A service account, from `t`, a row of `app_user`, joined with `serviceAccountJoins`. */
export const serviceAccount = resource('ServiceAccount', {
  id: [uuid(), sql`t.id`, '2b3c4d5e-6f70-4819-a2b3-c4d5e6f70819'],
  organization_id: [uuid(), sql`t.service_of`, '3fa85f64-5717-4562-b3fc-2c963f66afa6'],
  name: [
    name({ maxLength: 100, description: 'What it is for. It stands where a person’s name would.' }),
    sql`t.name`,
    'Nightly checks',
    'writable',
  ],
  role: [Type.String({ pattern: ROLE_SLUG }), sql`r.slug`, 'member'],
  role_id: [uuid(), sql`r.id`, '00000000-0000-4000-8000-000000000003'],
  role_name: [Type.String(), sql`r.name`, 'Member'],
  keys: [
    Type.Integer({ description: 'Keys that are neither revoked nor expired.' }),
    sql`
      (select count(*) from api_key k
        where k.user_id = t.id and k.revoked_at is null
          and (k.expires_at is null or k.expires_at > now()))`,
    1,
  ],
  created_at: [timestamp(), sql`t.created_at`, '2026-11-20T09:00:00.000Z'],
  updated_at: [timestamp(), sql`t.updated_at`, '2026-11-21T08:15:30.123Z'],
});

export const serviceAccountJoins = sql`
  join membership m on m.organization_id = t.service_of and m.user_id = t.id
  join role r on r.id = m.role_id`;

export const tooManyServiceAccounts = apiError(
  409,
  'too_many_service_accounts',
  `There are ${MOST_SERVICE_ACCOUNTS} service accounts here, which is as many as there may be: delete one first`,
);

export const serviceAccountChanged = apiError(
  412,
  'service_account_changed',
  'The service account has changed since you read it: read it again, then repeat the request',
);
