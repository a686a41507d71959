import { type Sql, sql } from '../../db/sql.ts';

/** Nano-USD as a decimal in USD, with 2 to 9 places. */
export const usdOfNano = (nano: Sql): Sql => sql`(
  select round(usd, greatest(min_scale(usd), 2))
    from (values ((${nano})::numeric / 1000000000)) amount (usd))::text`;
