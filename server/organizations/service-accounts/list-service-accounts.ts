import { onServiceAccounts } from '../../access/service-account.ts';
import { sql } from '../../db/sql.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { ids, route } from '../../http/route.ts';
import { serviceAccount, serviceAccountJoins } from './service-account.ts';

/** The service accounts of a workspace. */
export const listServiceAccounts = route({
  method: 'GET',
  path: '/api/organizations/{org_id}/service-accounts',
  area: 'Members & Invitations',
  operationId: 'list_service_accounts',
  summary: 'List service accounts',
  description: 'The service accounts of the workspace. People who are its owner or admins only.',
  access: onServiceAccounts('manage_service_accounts'),
  params: ids('org_id'),
  responses: { 200: serviceAccount.listed('By name. Always complete.') },
  errors: [],
  handle: ({ url, statement }) =>
    statement<Listed>({ select: listed(accounts, {}) }, page(url, undefined)),
});

const accounts = {
  json: serviceAccount.json,
  rows: sql`
    from authorized join app_user t on t.service_of = authorized.organization_id
         ${serviceAccountJoins}
   where true`,
  order: [
    { by: sql`lower(t.name) collate "C"`, type: 'text' },
    { by: sql`t.id`, type: 'uuid' },
  ],
} as const;
