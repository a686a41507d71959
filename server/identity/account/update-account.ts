import { oneself } from '../../access/account.ts';
import { sql } from '../../db/sql.ts';
import { changedAt, lockedRow, type Shown, shownAs, withChanges } from '../../http/change.ts';
import { route } from '../../http/route.ts';
import { auditRow } from '../../platform/audit/audit.ts';
import { account, accountChanged, accountChanges, accountSnapshot } from './account.ts';

/**
 * Changes the caller's name and what they get by mail; a field left out keeps its value, null
 * removes a name (ruling 4).
 */
export const updateAccount = route({
  method: 'PUT',
  path: '/api/account',
  area: 'Account',
  operationId: 'update_account',
  summary: 'Update your account',
  description:
    'Changes your name, or removes it with `null`, and whether you get warnings by mail; `{}` ' +
    'changes nothing. Send the `ETag` of the ' +
    'account you have read as `If-Match` to avoid overwriting a later change.',
  access: oneself,
  body: accountChanges,
  sample: () => ({ body: { name: 'Ada Lovelace' } }),
  responses: { 200: account.shown('Your account as it is now.') },
  headers: { 'If-Match': 'The ETag of the account that you have read.' },
  errors: [accountChanged],
  handle: ({ body, headers, requestId, statement }) =>
    statement<Shown & { expected: boolean }>(
      {
        with: sql`
          ${lockedRow(sql`app_user`, sql`user_id`, headers['if-match'])},
          wanted as (select ${withChanges(sql`row`, body)} as row from current where expected),
          changed as (
            update app_user t
               set name = (wanted.row).name,
                   mail_warnings = (wanted.row).mail_warnings,
                   updated_at = ${changedAt(sql`(current.row).updated_at`)}
              from wanted, current
             where t.id = (wanted.row).id and wanted.row is distinct from current.row
            returning t as row),
          audited as (${auditRow({
            action: 'account.update',
            requestId,
            target: sql`(changed.row).id`,
            organization: sql`null::uuid`,
            before: accountSnapshot(sql`current.row`),
            after: accountSnapshot(sql`changed.row`),
            from: sql`changed cross join current`,
          })})`,
        select: sql`
          select current.expected, ${account.columns}
            from current
            left join changed on true,
                 lateral (select (coalesce(changed.row, current.row)).*) t`,
      },
      ({ expected, ...row }) => {
        if (!expected) throw accountChanged();
        return shownAs(200, row);
      },
    ),
});
