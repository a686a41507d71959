import type { Command } from 'commander';
import { codesOfOtherKeys } from '../server/identity/sign-in/sealed-factors.ts';
import { SEALED_VALUES } from '../server/main/sealed-values.ts';
import { knownSecrets } from '../server/main/server-secret.ts';
import { rotate } from '../server/platform/sealing/rotate.ts';
import { keyIdOf } from '../server/platform/sealing/sealing.ts';
import { type Cli, withDatabase, withJson } from './command.ts';
import { Failure } from './failure.ts';
import { recordFromCli } from './record.ts';

/** `guildhall secrets rotate`: seals what is stored with the current SERVER_SECRET. */
export function addSecrets(program: Command, cli: Cli): void {
  const secrets = program
    .command('secrets')
    .usage('<command> [options]')
    .helpCommand(false)
    .description('replace the secret of the servers');
  withJson(secrets.command('rotate'))
    .description(
      'seal every stored secret with SERVER_SECRET that SERVER_SECRET_PREVIOUS sealed; servers may run',
    )
    .action(async ({ json }: { json?: boolean }) => {
      const config = cli.readConfig();
      const { rotated, codes } = await withDatabase(config, async (db) => {
        const known = await knownSecrets(config);
        if (known === undefined) throw new Failure(WITHOUT);
        const rotated = await rotate(db, known, SEALED_VALUES);
        await db.transaction((tx) =>
          recordFromCli(tx, {
            action: 'secrets.rotate',
            target: keyIdOf(known.current),
            after: Object.fromEntries(rotated.map(({ name, sealed }) => [name, sealed])),
          }),
        );
        return { rotated, codes: await codesOfOtherKeys(db, keyIdOf(known.current)) };
      });
      const unopened = rotated.flatMap(({ name, unopened }) =>
        unopened.map((id) => `${name} ${id}`),
      );
      const tables = Object.fromEntries(
        rotated.map(({ name, sealed, unopened }) => [name, { sealed, unopened }]),
      );
      cli.print(json, { tables, people_with_old_recovery_codes: codes }, sentences(rotated, codes));
      if (unopened.length > 0) throw new Failure(notOpened(unopened));
    });
}

const sentences = (rotated: Awaited<ReturnType<typeof rotate>>, codes: number): string =>
  [
    ...rotated.map(({ name, sealed }) => `${name}: ${sealed} sealed anew.`),
    ...(codes === 0
      ? ['No recovery code needs SERVER_SECRET_PREVIOUS.']
      : [
          `Unused recovery codes of ${codes} people work only as long as SERVER_SECRET_PREVIOUS is`,
          'set: ask them to make new ones, or let them sign in by mail.',
        ]),
  ].join('\n');

const WITHOUT =
  'There is no SERVER_SECRET, and none is stored in DATA_DIR: set the one that the servers have.';

const notOpened = (rows: readonly string[]): string =>
  `These do not open with SERVER_SECRET or SERVER_SECRET_PREVIOUS, and stay as they are: ${rows.join(
    ', ',
  )}. Set SERVER_SECRET_PREVIOUS to the secret that sealed them and run this again, or have them set anew.`;
