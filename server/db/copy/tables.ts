import pg from 'pg';

/** A table of the schema, with the columns that are stored and not computed. */
export interface Table {
  name: string;
  columns: string[];
}

/** What migrations write themselves: a copy is told them apart from its rows. */
const OF_MIGRATIONS = ['schema_migration', 'schema_view'];

/** Every table with rows of Guildhall's own, in the order of their names. */
export async function tablesOf(client: Pick<pg.ClientBase, 'query'>): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select c.relname::text as name, array_agg(a.attname::text order by a.attnum) as columns
       from pg_class c
       join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        and a.attgenerated = ''
      where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
        and c.relname <> all($1::text[])
        and not exists (select from pg_depend d
                         where d.classid = 'pg_class'::regclass and d.objid = c.oid
                           and d.deptype = 'e')
      group by c.oid order by c.relname collate "C"`,
    [OF_MIGRATIONS],
  );
  return rows;
}

/** As text, the same on every machine and in every version of PostgreSQL. */
export const AS_TEXT = `set client_encoding = 'UTF8'; set datestyle = 'ISO'; set timezone = 'UTC';
  set intervalstyle = 'postgres'; set extra_float_digits = 3; set bytea_output = 'hex'`;

/** A login may have been given limits that are meant for requests. */
export const WITHOUT_LIMITS = `set statement_timeout = 0; set lock_timeout = 0;
  set idle_in_transaction_session_timeout = 0`;

/** As COPY names a table and its columns. */
export const named = ({ name, columns }: Table): string =>
  `${pg.escapeIdentifier(name)} (${columns.map((one) => pg.escapeIdentifier(one)).join(', ')})`;
