import type { Command } from 'commander';
import type { Manifest } from '../server/platform/archive/manifest.ts';
import { type Cli, untilInterrupted, withJson } from './command.ts';
import { progressOn } from './progress.ts';

interface BackupCommand {
  json?: boolean;
  overwrite?: boolean;
  includeSecret?: boolean;
  allowMissing?: boolean;
}

/** `guildhall backup FILE`: the database, the files and the repositories in one archive. */
export function addBackup(program: Command, cli: Cli): void {
  withJson(program.command('backup'))
    .description('write everything that a server stores into one archive; servers may run')
    .argument('<file>', 'the archive to write, such as /backup/2026-11-28.guildhall')
    .option('--overwrite', 'replace the file if it is there')
    .option('--include-secret', 'put SERVER_SECRET into the archive, not only a check of it')
    .option('--allow-missing', 'leave out files whose bytes the store has lost or damaged')
    .addHelpText(
      'after',
      `
Run it where DATA_DIR is the folder that the workers share, with the settings of the servers and the
login of the database's owner. Whoever has the archive has all code and all conversations.
Exit status: 0 if the archive is whole, 1 if there is none, 2 for wrong usage or settings.
The opposite is \`guildhall restore\`.`,
    )
    .action(async (file: string, { json, ...options }: BackupCommand) => {
      const config = cli.readConfig();
      // Loaded when needed, so that the other commands start at once.
      const { backup } = await import('../server/main/backup/backup.ts');
      await untilInterrupted(async (signal) => {
        const { onStep, clear } = progressOn(cli.stderr, signal);
        const began = performance.now();
        const { overwrite = false, includeSecret = false, allowMissing = false } = options;
        const { manifest, bytes } = await backup(config, {
          file,
          overwrite,
          includeSecret,
          allowMissing,
          onStep,
        }).finally(clear);
        const seconds = Math.round((performance.now() - began) / 100) / 10;
        const result = { file, bytes, seconds, ...summaryOf(manifest) };
        cli.print(json, result, asText(result));
      });
    });
}

/** What an archive holds, in figures. */
export function summaryOf(manifest: Manifest) {
  const { id, version, created_at, databases, files, repositories, server_secret } = manifest;
  const tables = databases.flatMap((one) => one.tables);
  return {
    id,
    version,
    created_at,
    migration: databases[0]?.migrations.at(-1)?.name ?? null,
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    event_databases: databases.length - 1,
    files: files.count,
    file_bytes: files.bytes,
    missing_files: files.missing,
    repositories: repositories.length,
    secret: server_secret.value === undefined ? ('checked' as const) : ('included' as const),
  };
}

type Result = ReturnType<typeof summaryOf> & { file: string; bytes: number; seconds: number };

const asText = ({ file, bytes, seconds, missing_files: missing, ...of }: Result): string =>
  [
    `${file} is whole: ${bytes} bytes, in ${seconds} s.`,
    `It has ${of.rows} rows, ${of.files} files and ${of.repositories} repositories.`,
    ...(missing.length === 0
      ? []
      : [`Files whose bytes were missing or damaged: ${missing.slice(0, 20).join(', ')}`]),
    of.secret === 'included'
      ? 'It has SERVER_SECRET, too: whoever has this file can open everything that is sealed.'
      : 'Keep SERVER_SECRET as well, and not beside it: a restore needs the same.',
  ].join('\n');
