import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Issuer } from '../../platform/config/config.ts';

/** Stores the settings with which invoices are issued from now on, unless nothing changed. */
export async function storeIssuer(db: Database, issuer: Issuer): Promise<void> {
  await db.many(sql`
    with new as (
      select ${issuer.name}::text as name, ${issuer.address}::text[] as address,
             ${issuer.country}::text as country, ${issuer.taxId}::text as tax_id,
             ${issuer.prefix}::text as prefix, ${issuer.taxName}::text as tax_name,
             ${JSON.stringify(issuer.taxRates)}::jsonb as tax_rates,
             ${issuer.reverseChargeNote}::text as reverse_charge_note)
    insert into invoice_issuer (
      name, address, country, tax_id, prefix, tax_name, tax_rates, reverse_charge_note)
    select * from new
     where to_jsonb(new) is distinct from (
       select to_jsonb(i) - 'id' - 'created_at' from invoice_issuer i order by id desc limit 1)`);
}
