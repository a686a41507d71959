import pg from 'pg';
import { connectSingle } from '../../db/database/single-connection.ts';

interface Recorded {
  action: 'backup.create' | 'backup.restore';
  /** Of the archive. */
  id: string;
  /** Where the folder of repositories is now, for people. */
  place?: string;
  connectTimeout: number;
}

/** Records in the audit trail that everything was copied, or came from a copy. */
export async function recordBackup(
  url: string,
  { action, id, place, connectTimeout }: Recorded,
): Promise<void> {
  const client = await connectSingle(url, { applicationName: 'guildhall backup', connectTimeout });
  try {
    await client.query(
      `insert into audit_event (id, action, outcome, target_id, request_id)
       values (uuid_v7(), $1, 'done', $2, 'cli')`,
      [action, id],
    );
    if (place !== undefined) await client.query('update repository_folder set place = $1', [place]);
  } finally {
    await client.end();
  }
}

/** Whether a restore of that backup has ended in the database. */
export async function isRestored(
  url: string,
  { id }: { id: string },
  connectTimeout: number,
): Promise<boolean> {
  const client = await connectSingle(url, { applicationName: 'guildhall restore', connectTimeout });
  try {
    const { rows } = await client.query(
      `select from audit_event where action = 'backup.restore' and target_id::text = $1 limit 1`,
      [id],
    );
    return rows.length > 0;
  } catch (error) {
    // It has no such table or column.
    if (error instanceof pg.DatabaseError && ['42P01', '42703'].includes(error.code ?? ''))
      return false;
    throw error;
  } finally {
    await client.end();
  }
}
