import type { ErpProgram } from '../../platform/catalog/erp-programs.ts';

/** What container engines run for an instance: Odoo, and its database beside it. */

export const DATABASE_IMAGE = 'postgres:16';
export const ODOO_PORT = 8069;
/** The user and owner of the database. */
const DATABASE_USER = 'odoo';

/** Without an image of the operator's, the public one of the community edition. */
export const imageOf = (programs: readonly ErpProgram[], version: string): string =>
  programs.find((program) => program.version === version)?.image ?? `odoo:${version}`;

/**
 * Makes the database once, gives `admin` its password, and runs the server. The image has Odoo, a
 * shell and Python; everything it needs to know is in the environment.
 */
const SCRIPT = `set -e
on="--db_host=$DB_HOST --db_port=5432 --db_user=$DB_USER --db_password=$DB_PASSWORD -d $DB_NAME"
until python3 -c 'import os, psycopg2; psycopg2.connect(host=os.environ["DB_HOST"],
  user=os.environ["DB_USER"], password=os.environ["DB_PASSWORD"], dbname="postgres")'; do sleep 1
done
odoo $on -i base --without-demo=all --stop-after-init
odoo shell $on --no-http <<'END'
import os
env.ref('base.user_admin').password = os.environ['ADMIN_PASSWORD']
env.cr.commit()
END
exec odoo $on --db-filter "^$DB_NAME$" --no-database-list --workers=0 --max-cron-threads=0
`;

export const ODOO_COMMAND: readonly string[] = ['/bin/bash', '-c', SCRIPT];

/** The environment of the server of an instance. */
export const odooEnvironment = (values: {
  host: string;
  database: string;
  databasePassword: string;
  adminPassword: string;
}): Record<string, string> => ({
  DB_HOST: values.host,
  DB_USER: DATABASE_USER,
  DB_PASSWORD: values.databasePassword,
  DB_NAME: values.database,
  ADMIN_PASSWORD: values.adminPassword,
});

/** The environment of its database, whose port only the server reaches. */
export const databaseEnvironment = (password: string): Record<string, string> => ({
  POSTGRES_USER: DATABASE_USER,
  POSTGRES_PASSWORD: password,
  POSTGRES_DB: 'postgres',
});
