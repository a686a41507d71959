import Type from 'typebox';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { type SecondFactor, secondFactorsOf } from './second-factors.ts';
import { secondFactor } from './sign-in-offer.ts';

/** The answer to whatever signs someone in. */
export const signedInAnswer = {
  description: 'The session has begun, or waits for its second factor.',
  schema: Type.Object(
    {
      pending: Type.Boolean({ description: 'Whether the second factor is still missing.' }),
      second_factors: Type.Optional(Type.Array(secondFactor)),
    },
    { $id: 'SignedIn' },
  ),
  example: { pending: true, second_factors: ['totp', 'recovery_code'] },
};

/** Its body, for a person who is known to be signing in. */
export async function signedInBody(
  db: Pick<Database, 'read'>,
  { userId, pending }: { userId: string; pending: boolean },
): Promise<{ pending: boolean; second_factors?: SecondFactor[] }> {
  if (!pending) return { pending };
  const [row] = await db.read<{ second_factors: SecondFactor[] }>(sql`
    select ${secondFactorsOf(sql`u.id`)} as second_factors from app_user u where u.id = ${userId}`);
  return { pending, second_factors: row?.second_factors ?? [] };
}
