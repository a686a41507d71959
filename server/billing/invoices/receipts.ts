import { type Sql, sql } from '../../db/sql.ts';
import { seesBilling } from '../ledger/sees-billing.ts';

/**
 * SQL: joins `addressed.recipient`, to whom a receipt about an account `a` goes, null for no one: to the
 * address in its billing details `d`, else to whoever `paid`, the id of a person. Who paid for a
 * workspace but cannot see its billing any more is replaced by the owner; money that arrived at
 * another person's balance is that person's.
 */
export const addressed = (paid: Sql): Sql => sql`
  cross join lateral (
    select coalesce(
             d.email,
             (select u.email from app_user u where u.id = ${paid} and ${seesBilling}),
             (select holder.email
                from app_user holder
                left join organization owned on owned.id = a.organization_id
               where holder.id = coalesce(a.user_id, owned.owner_user_id)
                 and holder.is_active)) as recipient) addressed`;

/**
 * SQL that queues a mail for each row of `issued` (`id`, `account_id`, `top_up_id` of an invoice or
 * note, and `mails_receipt`), if its account wants receipts and there is someone to send it to.
 */
export const queueReceipts = sql`
  insert into mail (kind, recipient, subject_id)
  select 'receipt', addressed.recipient, issued.id
    from issued
    join billing_account a on a.id = issued.account_id
    join billing_details d on d.id = a.id
    join top_up t on t.id = issued.top_up_id
    ${addressed(sql`t.user_id`)}
   where issued.mails_receipt and d.mail_receipts and addressed.recipient is not null`;
