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
