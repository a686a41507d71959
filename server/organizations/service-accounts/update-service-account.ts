import { onServiceAccount } from '../../access/service-account.ts';
import { sql } from '../../db/sql.ts';
import { changedAt, type Shown, shownAs } from '../../http/change.ts';
import { notFound } from '../../http/errors.ts';
import { matches } from '../../http/preconditions.ts';
import { ids, route } from '../../http/route.ts';
import { auditRow } from '../../platform/audit/audit.ts';
import { serviceAccount, serviceAccountChanged, serviceAccountJoins } from './service-account.ts';

/** Renames a service account. */
export const updateServiceAccount = route({
  method: 'PUT',
  path: '/api/service-accounts/{service_account_id}',
  area: 'Members & Invitations',
  operationId: 'update_service_account',
  summary: 'Update a service account',
  description:
    'Gives the service account another name; `{}` changes nothing. Its role is changed with ' +
    '`update_member`. People who are owner or admins of its workspace only.',
  access: onServiceAccount('manage_service_accounts'),
  params: ids('service_account_id'),
  body: serviceAccount.changes,
  sample: () => ({ body: { name: 'Weekly checks' } }),
  responses: { 200: serviceAccount.shown('The current service account.') },
  headers: { 'If-Match': 'The ETag of the service account that you have read.' },
  errors: [serviceAccountChanged],
  handle: ({ body, headers, requestId, statement }) =>
    statement<Shown & { expected: boolean | null }>(
      {
        with: sql`
          current as materialized (
            select t as row, ${matches(headers['if-match'], serviceAccount.revision)} as expected
              from app_user t join authorized on t.id = authorized.service_account_id
               for update of t),
          changed as (
            update app_user t
               set name = coalesce(${body.name ?? null}, t.name),
                   updated_at = ${changedAt(sql`t.updated_at`)}
              from current
             where t.id = (current.row).id and current.expected
               and t.name <> coalesce(${body.name ?? null}, t.name)
            returning t as row),
          audited as (${auditRow({
            action: 'service_account.update',
            requestId,
            target: sql`(changed.row).id`,
            organization: sql`(changed.row).service_of`,
            before: serviceAccount.snapshot(sql`current.row`),
            after: serviceAccount.snapshot(sql`changed.row`),
            from: sql`changed cross join current`,
          })})`,
        select: sql`
          select current.expected, ${serviceAccount.columns}
            from current left join changed on true
            cross join lateral (select (coalesce(changed.row, current.row)).*) t
            ${serviceAccountJoins}`,
      },
      ({ expected, ...row }) => {
        if (expected === null) throw notFound();
        if (!expected) throw serviceAccountChanged();
        return shownAs(200, row);
      },
    ),
});
