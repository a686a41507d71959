import type { Database } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { Purpose } from '../pods/purposes.ts';
import { CannotOpen, type Sealing } from '../sealing/sealing.ts';
import { contextOf } from './sealed-variables.ts';

interface Wanted {
  projectId: string;
  purpose: Purpose;
  /** Of a deploy. */
  stage?: 'staging' | 'production';
  /** Whether secrets are in `env`; otherwise they are only known, so that they can be hidden. */
  withSecrets?: boolean;
}

export interface Variables {
  /** For the environment of a process, never its arguments. */
  env: Readonly<Record<string, string>>;
  /** Values that must not be shown. */
  secrets: readonly string[];
}

/** A secret that cannot be given to a process, as a sentence for people. */
export class VariableUnreadable extends Error {}

/**
 * What a project gives to the processes of a purpose. Only the secrets of this purpose are known
 * then: hiding others would let a process find them, by writing guesses and reading what is hidden.
 * Throws VariableUnreadable.
 */
export async function variablesOf(
  db: Pick<Database, 'read'>,
  sealing: Sealing | undefined,
  wanted: Wanted,
): Promise<Variables> {
  const { projectId, withSecrets = true } = wanted;
  const rows = await db.read<Row>(variables(wanted));
  const read = rows.map(({ value, ...row }) => ({
    ...row,
    value: value ?? opened(sealing, { ...row, project_id: projectId }),
  }));
  const given = read.filter(({ sealed }) => withSecrets || sealed === null);
  return {
    env: Object.fromEntries(given.map(({ name, value }) => [name, value])),
    secrets: read.flatMap(({ sealed, value }) => (sealed === null ? [] : [value])),
  };
}

/** The same, or why a command cannot run, as a sentence for people. */
export const readVariables = (
  ...of: Parameters<typeof variablesOf>
): Promise<Variables | { fault: string }> =>
  variablesOf(...of).catch((error) => {
    if (!(error instanceof VariableUnreadable)) throw error;
    return { fault: error.message };
  });

interface Row {
  name: string;
  stage: string | null;
  value: string | null;
  sealed: Buffer | null;
  keyId: string | null;
}

// One with a stage is for deploys alone, and wins.
const variables = ({ projectId, purpose, stage }: Wanted): Sql => sql`
  select distinct on (name) name, stage, value, sealed, sealed_key_id as "keyId"
    from project_variable
   where project_id = ${projectId} and ${purpose}::text = any (purposes)
     and (stage is null or stage = ${stage ?? null}::text)
   order by name, stage nulls last`;

function opened(
  sealing: Sealing | undefined,
  { sealed, keyId, ...place }: Omit<Row, 'value'> & { project_id: string },
): string {
  if (sealing === undefined) throw new VariableUnreadable(unreadable(place.name, WITHOUT));
  try {
    return sealing.open({ sealed: sealed as Buffer, keyId }, contextOf(place)).toString();
  } catch (error) {
    if (!(error instanceof CannotOpen)) throw error;
    throw new VariableUnreadable(unreadable(place.name, error.message));
  }
}

const unreadable = (name: string, why: string) =>
  `The secret ${name} of this project cannot be opened. ${why}`;

const WITHOUT =
  'Whoever operates this server must set SERVER_SECRET for the processes that carry out tasks, too.';
