import pg from 'pg';

/** Runs one statement as the owner of the tables, which may take any time: it may make many rows. */
export async function ownerClient(url: string, text: string, values: unknown[] = []) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await client.query(text, values);
  } finally {
    await client.end();
  }
}
