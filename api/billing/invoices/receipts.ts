import { sql } from '../../db/sql.ts';
import { seesBilling } from '../ledger/sees-billing.ts';

/**
 * SQL that queues a mail for each row of `issued` (`id`, `account_id`, `top_up_id` of an invoice or
 * note, and `mails_receipt`), if its account wants receipts. It goes to the address in the billing
 * details, else to whoever paid. Who paid for a workspace but cannot see its billing any more is
 * replaced by the owner; money that arrived at another person's balance is that person's.
 */
export const queueReceipts = sql`
  insert into mail (kind, recipient, subject_id)
  select 'receipt', addressed.recipient, issued.id
    from issued
    join billing_account a on a.id = issued.account_id
    join billing_details d on d.id = a.id
    join top_up t on t.id = issued.top_up_id
    left join organization o on o.id = a.organization_id
    left join app_user payer on payer.id = t.user_id and (
      select ${seesBilling} from app_user u where u.id = t.user_id)
    left join app_user holder on holder.id = coalesce(a.user_id, o.owner_user_id)
                             and holder.is_active
   cross join lateral (select coalesce(d.email, payer.email, holder.email) as recipient) addressed
   where issued.mails_receipt and d.mail_receipts and addressed.recipient is not null`;
