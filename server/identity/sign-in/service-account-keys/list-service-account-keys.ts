import { onServiceAccount } from '../../../access/service-account.ts';
import { sql } from '../../../db/sql.ts';
import { type Listed, listed, page } from '../../../http/list.ts';
import { ids, route } from '../../../http/route.ts';
import { ownKey } from '../keys/own-key.ts';

/** The API keys of a service account that were not revoked, expired ones too. */
export const listServiceAccountKeys = route({
  method: 'GET',
  path: '/auth/service-accounts/{service_account_id}/keys',
  area: 'Sign-in',
  operationId: 'list_service_account_keys',
  summary: 'List the API keys of a service account',
  description:
    'Its API keys, latest first, with those that have expired, without revoked ones. The owner and ' +
    'admins of its workspace only.',
  credential: 'session',
  access: onServiceAccount('manage_service_accounts'),
  params: ids('service_account_id'),
  responses: { 200: ownKey.listed('Latest first.') },
  errors: [],
  handle: ({ url, statement }) =>
    statement<Listed>({ select: listed(keys, {}) }, page(url, undefined)),
});

const keys = {
  json: ownKey.json,
  rows: sql`
    from authorized join api_key t on t.user_id = authorized.service_account_id
     where t.revoked_at is null`,
  order: [
    { by: sql`t.created_at`, type: 'timestamptz' },
    { by: sql`t.id`, type: 'uuid' },
  ],
  descending: true,
} as const;
