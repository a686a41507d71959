import { type Sql, sql } from '../../db/sql.ts';
import { seesBilling } from '../ledger/sees-billing.ts';

/**
 * SQL: whether a person `u` is the one whose card an auto-reload of account `a` may charge: of their
 * own balance always, of a workspace's if they have set its figures (ruling 10.2).
 */
export const setsAutoReload: Sql = sql`
  (a.kind = 'user' or exists (
    select from auto_reload_set_by s where s.account_id = a.id and s.user_id = u.id))`;

/**
 * SQL: whether a card may be charged now for top-up `t`. It never is for a balance whose billing its
 * person may not see any more.
 */
export const mayCharge: Sql = sql`
  exists (
    select from app_user u join billing_account a on a.id = t.account_id
     where u.id = t.user_id and ${seesBilling} and (not t.automatic or ${setsAutoReload}))`;
