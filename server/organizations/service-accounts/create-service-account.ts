import {
  checkGivenRole,
  givenRole,
  ownerMakesAdmins,
  roleFields,
  roleNotFound,
  roleOrRoleId,
  roleRequired,
} from '../../access/given-role.ts';
import { type OfServiceAccounts, onServiceAccounts } from '../../access/service-account.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { type Shown, shownAs } from '../../http/change.ts';
import { object } from '../../http/input/fields.ts';
import { ids, route } from '../../http/route.ts';
import { actor, auditRow } from '../../platform/audit/audit.ts';
import {
  MOST_SERVICE_ACCOUNTS,
  serviceAccount,
  tooManyServiceAccounts,
} from './service-account.ts';

/** Makes a service account, a member of the workspace that nobody signs in as. */
export const createServiceAccount = route({
  method: 'POST',
  path: '/api/organizations/{org_id}/service-accounts',
  area: 'Members & Invitations',
  operationId: 'create_service_account',
  summary: 'Create a service account',
  description:
    'Makes a member of the workspace for programs and routines. Nobody signs in as it, and no mail ' +
    'is sent to it; it acts with its keys, which people make in the dashboard, and opens this ' +
    'workspace alone. Its role, teams and projects are changed like those of other members; it ' +
    'is never the owner. People who are owner or admins only; admins may make one an admin only if ' +
    `the owner allows it. At most ${MOST_SERVICE_ACCOUNTS}.`,
  access: onServiceAccounts('manage_service_accounts'),
  params: ids('org_id'),
  body: object({ name: serviceAccount.writable.name, ...roleFields }, roleRequired),
  sample: () => ({ body: { name: 'Nightly checks', role: 'member' } }),
  responses: { 201: serviceAccount.shown('The new service account.', ['ETag', 'Location']) },
  errors: [roleOrRoleId, roleNotFound, ownerMakesAdmins, tooManyServiceAccounts],
  handle: ({ params: { org_id }, body, requestId, transaction }) =>
    transaction(async (tx, place) => {
      checkGivenRole(body);
      const role = await tx.maybeOne<{ id: string; acts_as: string }>(
        sql`${givenRole('workspace', body, sql`${org_id}::uuid`)} for key share of r`,
      );
      if (role === undefined) throw roleNotFound();
      if (role.acts_as === 'admin' && !place.manages_admins) throw ownerMakesAdmins();
      const made = await insert(tx, place, { name: body.name, roleId: role.id, requestId });
      if (made === undefined) throw tooManyServiceAccounts();
      return shownAs(201, made, `/api/organizations/${org_id}/service-accounts`);
    }),
});

const insert = (
  tx: Tx,
  { organization_id, ...caller }: OfServiceAccounts & Caller,
  { name, roleId, requestId }: { name: string; roleId: string; requestId: string },
): Promise<Shown | undefined> =>
  tx.maybeOne(sql`
    with ${actor(caller)},
    made as (
      insert into app_user as t (id, email, name, kind, service_of, two_factor)
      select id, id || '@service.invalid', ${name}, 'service', ${organization_id}, true
        from gen_random_uuid() id
       where (select count(*) from membership
               where organization_id = ${organization_id} and user_kind = 'service')
             < ${MOST_SERVICE_ACCOUNTS}
      returning t.*),
    joined as (
      insert into membership (organization_id, user_id, role_id, user_kind, service_of)
      select service_of, id, ${roleId}, kind, service_of from made
      returning *),
    audited as (${auditRow({
      action: 'service_account.create',
      requestId,
      target: sql`made.id`,
      organization: sql`made.service_of`,
      before: sql`null`,
      after: sql`
        jsonb_build_object('name', made.name, 'role_id', ${roleId}::uuid)`,
      from: sql`made`,
    })})
    select ${serviceAccount.columns}
      from made t join joined m on m.user_id = t.id join role r on r.id = m.role_id`);
