import pg from 'pg';

/** A dump, or a database that was made of one, cannot be used. The message is for people. */
export class Unusable extends Error {}

/** What PostgreSQL is short of, or that it ends: another attempt may succeed. */
const OF_ITSELF = /^(?:08|53|57P0)/;

const LOST = ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE'];

/** PostgreSQL is not there, or refuses for a while: it says nothing against what was to be done. */
export const isOfPostgres = (error: unknown): boolean =>
  error instanceof pg.DatabaseError
    ? OF_ITSELF.test(error.code ?? '')
    : error instanceof Error &&
      (error.message.startsWith('Connection terminated') ||
        ('address' in error && LOST.includes(String((error as NodeJS.ErrnoException).code))));

/** What PostgreSQL refuses in a database, as what is wrong with the dump. */
export async function blamingTheDump<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || OF_ITSELF.test(error.code ?? '')) throw error;
    throw new Unusable(
      `The database of the dump cannot be used. PostgreSQL said: ${error.message.slice(0, 300)}`,
      { cause: error },
    );
  }
}
