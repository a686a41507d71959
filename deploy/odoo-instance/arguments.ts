/** What Odoo is started with. */
export interface Instance {
  database: string;
  port: string;
  /** For its files and sessions. */
  folder: string;
}

/**
 * One process that serves one database: no worker processes and no scheduled jobs, and no list of
 * the other databases of the same PostgreSQL.
 */
export const odooArguments = ({ database, port, folder }: Instance): string[] => [
  '-d',
  database,
  '--db-filter',
  `^${database}$`,
  '--no-database-list',
  '--http-interface=127.0.0.1',
  `--http-port=${port}`,
  `--data-dir=${folder}`,
  '--workers=0',
  '--max-cron-threads=0',
];
