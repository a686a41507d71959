import { randomBytes } from 'node:crypto';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { CardKeeper, SetupState } from './card-keeper.ts';
import { detailsOfTestCard } from './test-cards.ts';

/**
 * Keeps Stripe's published test cards. Each belongs to everyone, so there is nothing to remove here
 * when one person removes theirs.
 */
export function sandboxCards(db: Database): CardKeeper {
  const read = async (id: string): Promise<SetupState> => {
    const setup = await db.maybeOne<{ token: string }>(sql`
      select token from sandbox_setup where id = ${id}`);
    return setup === undefined ? { kind: 'canceled' } : { kind: 'succeeded', token: setup.token };
  };
  return {
    begin: async ({ testCard }) => {
      if (testCard === undefined) return { kind: 'unavailable', reason: 'no test card' };
      const id = `seti_sandbox_${randomBytes(12).toString('hex')}`;
      await db.many(sql`insert into sandbox_setup (id, token) values (${id}, ${testCard})`);
      return { kind: 'begun', id };
    },
    read,
    cancel: read,
    card: async (token) => {
      const card = detailsOfTestCard(token);
      return card === undefined
        ? { kind: 'gone' }
        : { kind: 'attached', card, customerId: undefined };
    },
    detach: async () => true,
  };
}
