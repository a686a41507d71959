import { hash } from 'node:crypto';
import type { Database } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import type { InstanceDriver } from '../../../erp/index.ts';

/** Mails of an instance that are kept. */
const KEPT = 100;

interface Collected {
  driver: Pick<InstanceDriver, 'log' | 'takeMails'>;
  id: string;
  /** Its password, which is in nothing that is kept. */
  secret: string;
  /** What was stored last, by this worker, since it has the instance. */
  stored: StoredLog;
}

export interface StoredLog {
  /** Of its log: most are read again and again without a change, and are not sent for that. */
  hash?: string;
}

/** Stores what an instance has printed last, and the mails that it wanted to send. */
export async function collect(db: Database, collected: Collected): Promise<void> {
  const { driver, id, secret, stored } = collected;
  const text = (await driver.log?.(id, secret)) ?? '';
  const digest = hash('sha256', text);
  if (text !== '' && digest !== stored.hash) {
    await db.many(sql`
      insert into erp_instance_log as l (instance_id, text)
      select id, ${text} from erp_instance where id = ${id} and state <> 'ended'
      on conflict (instance_id) do update set text = excluded.text, updated_at = now()
       where l.text <> excluded.text
      returning instance_id`);
    stored.hash = digest;
  }
  const mails = (await driver.takeMails?.(id)) ?? [];
  if (mails.length === 0) return;
  await db.many(sql`
    insert into erp_instance_mail (instance_id, sender, recipients, subject, text)
    select i.id, m.sender, m.recipients, m.subject, m.text
      from erp_instance i,
           jsonb_to_recordset(${JSON.stringify(mails)}::jsonb)
             as m (sender text, recipients text[], subject text, text text)
     where i.id = ${id} and i.state <> 'ended'
    returning id`);
  await db.many(sql`
    delete from erp_instance_mail
     where instance_id = ${id} and id not in (
       select id from erp_instance_mail where instance_id = ${id} order by id desc limit ${KEPT})
    returning id`);
}
