import { appendFile, chown, copyFile, cp, readdir, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import pg from 'pg';
import { createCluster } from '../../db/embedded/cluster-location.ts';
import { clusterOf, findEmbedded } from '../../db/embedded/embedded.ts';
import { osUser } from '../../db/embedded/os-user.ts';

/** The name a standby has with its primary, for `synchronous_standby_names`. */
export const STANDBY = 'standby';

/**
 * Copies the PostgreSQL that runs in the DATA_DIR `primary` into `dataDir`, as a base backup would
 * (pg_basebackup does not come with the package). The copy follows the original, as its own settings
 * say.
 */
export async function copyAsStandby(primary: string, dataDir: string): Promise<void> {
  const source = await clusterOf(primary);
  const running = await findEmbedded(primary);
  if (source === undefined || running === undefined)
    throw new Error(`no PostgreSQL runs in ${primary}`);
  await copyFile(join(primary, 'postgres-password'), join(dataDir, 'postgres-password'));
  const { hostname, port, username, password } = new URL(running.url);
  const address = `host=${hostname} port=${port} user=${username} password=${password}`;
  const user = await osUser();
  const client = new pg.Client(running.url);
  await client.connect();
  try {
    await createCluster(
      dataDir,
      user,
      () => {},
      async (directory) => {
        await client.query("select pg_backup_start('standby', fast => true)");
        await cp(source, directory, {
          recursive: true,
          filter: (path) => isCopied(relative(source, path)),
        });
        const { rows } = await client.query(
          'select labelfile from pg_backup_stop(wait_for_archive => false)',
        );
        await writeFile(join(directory, 'backup_label'), rows[0].labelfile);
        await writeFile(join(directory, 'standby.signal'), '');
        await appendFile(
          join(directory, 'postgresql.auto.conf'),
          `primary_conninfo = '${address} application_name=${STANDBY}'\n`,
        );
        if (user === undefined) return;
        for (const name of await readdir(directory, { recursive: true }))
          await chown(join(directory, name), user.uid, user.gid);
      },
    );
  } finally {
    await client.end();
  }
}

/**
 * What belongs to the running original alone stays there; its log since the backup began is
 * streamed.
 */
function isCopied(path: string): boolean {
  return (
    !path.startsWith('postmaster.') &&
    !/^pg_wal.[0-9A-F]{24}$/.test(path) &&
    basename(path) !== 'pg_internal.init'
  );
}
