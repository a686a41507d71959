import type { Database } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { EXAMPLES } from '../http/examples.ts';
import { openSealing } from '../platform/sealing/sealing.ts';
import { contextOf } from '../platform/variables/sealed-variables.ts';
import { SERVER_SECRET } from './odoo-connections.ts';

/** Opens the secrets of variables, as the servers of tests seal them. */
export const VARIABLES = openSealing({ current: SERVER_SECRET }, 'variables');

interface Wanted {
  by: { id: string };
  name?: string;
  value?: string;
  secret?: boolean;
  purposes?: string[];
  stage?: 'staging' | 'production';
  /** What the servers seal it with. */
  serverSecret?: string;
}

/** Variables of projects, as if people had set them. */
export function variableFixtures(db: Database) {
  return {
    /** Returns its id. */
    variable: async (project_id: string, wanted: Wanted): Promise<string> => {
      const { by, name = EXAMPLES.name, value = 'a value', secret = false } = wanted;
      const { purposes = ['checks'], stage = null, serverSecret = SERVER_SECRET } = wanted;
      const sealing = openSealing({ current: serverSecret }, 'variables');
      const sealed = secret
        ? sealing.seal(Buffer.from(value), contextOf({ project_id, name, stage }))
        : undefined;
      const { id } = await db.one<{ id: string }>(sql`
        insert into project_variable
               (project_id, name, stage, purposes, value, sealed, sealed_key_id,
                updated_by_user_id)
        values (${project_id}, ${name}, ${stage}, ${purposes}::text[],
                ${secret ? null : value}::text, ${sealed?.sealed ?? null}::bytea,
                ${sealed?.keyId ?? null}::text, ${by.id})
        returning id`);
      return id;
    },
  };
}
