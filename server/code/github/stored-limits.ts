import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { RateLimits } from './limits.ts';

/**
 * The limits of GitHub, shared by all processes of a database. Where GitHub names no time, each
 * refusal within an hour of the previous one doubles what is waited, up to an hour: GitHub blocks
 * Apps that go on asking. Refusals of calls that were on their way together count once.
 */
export const storedLimits = (db: Database): RateLimits => ({
  until: async (installationId) => {
    const [row] = await db.read<{ until: Date }>(sql`
      select until from github_rate_limit
       where installation_id = ${installationId} and until > now()`);
    return row?.until;
  },
  refused: async (installationId, until, guessed = false) => {
    const [row] = await db.write<{ until: Date }>(sql`
      insert into github_rate_limit as l (installation_id, until, refusals, refused_at)
      values (${installationId}, ${until}, 1, now())
      on conflict (installation_id) do update
         set refusals = case when l.until > now() then l.refusals
                             when l.refused_at > now() - interval '1 hour' then l.refusals + 1
                             else 1 end,
             refused_at = now(),
             until = greatest(l.until, excluded.until,
               case when ${guessed} and l.until <= now()
                         and l.refused_at > now() - interval '1 hour'
                    then now() + least(interval '1 hour',
                                       interval '1 minute' * 2 ^ least(l.refusals, 10)) end)
      returning until`);
    return row?.until ?? until;
  },
  exhausted: async (installationId, until) => {
    await db.write(sql`
      insert into github_rate_limit as l (installation_id, until)
      values (${installationId}, ${until})
      on conflict (installation_id) do update set until = greatest(l.until, excluded.until)`);
  },
});
