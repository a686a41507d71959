import { connectSingle } from '../../db/database/single-connection.ts';

/** Records in the audit trail that everything was copied, or came from a copy. */
export async function recordBackup(
  url: string,
  {
    action,
    id,
    connectTimeout,
  }: { action: 'backup.create' | 'backup.restore'; id: string; connectTimeout: number },
): Promise<void> {
  const client = await connectSingle(url, { applicationName: 'guildhall backup', connectTimeout });
  try {
    await client.query(
      `insert into audit_event (id, action, outcome, target_id, request_id)
       values (uuid_v7(), $1, 'done', $2, 'cli')`,
      [action, id],
    );
  } finally {
    await client.end();
  }
}
