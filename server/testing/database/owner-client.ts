import pg from 'pg';

/** Runs one statement as the owner of the tables. It may take any time, such as one that makes many rows. */
export async function ownerClient(url: string, text: string, values: unknown[] = []) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await client.query(text, values);
  } finally {
    await client.end();
  }
}
