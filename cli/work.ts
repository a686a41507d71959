import type { Command } from 'commander';
import { checkKeys } from '../server/platform/config/config.ts';
import { podsPlace } from '../server/platform/pods/process/pods-place.ts';
import { announce } from './announce.ts';
import { type Cli, dataOf, withJson } from './command.ts';

/** `guildhall work`: carries out the tasks of a database, in as many processes as one likes. */
export function addWork(program: Command, cli: Cli): void {
  withJson(program.command('work'))
    .description('carry out tasks until SIGINT or SIGTERM, beside a server')
    .addHelpText(
      'after',
      `
It uses the database of the server: that of DATABASE_URL, or the embedded one in DATA_DIR. Several
processes may work at once if they share DATA_DIR, where repositories and work trees are stored.
After the signal, running turns get 20 seconds; another process goes on with what is left.
TASK_TURNS_AT_ONCE and TASK_TURN_TIMEOUT_MIN limit the turns, PODS_SANDBOX confines the agents.
METRICS_PORT serves /metrics, /livez and /readyz.`,
    )
    .action(async ({ json }: { json?: boolean }) => {
      const config = cli.readConfig();
      checkKeys(config);
      // Loaded when needed, so that the other commands start at once.
      const { work } = await import('../server/main/work.ts');
      await work(config, async ({ embedded, metrics, notes }) => {
        const { tasks, repositories } = config;
        const pods = await podsPlace(config.pods.folder);
        const data = dataOf(config, embedded !== undefined);
        const shown = {
          data,
          turns_at_once: tasks.atOnce,
          pods,
          repositories,
          ...(notes.length === 0 ? {} : { notes }),
          ...(metrics === undefined ? {} : { metrics }),
        };
        const text = [
          `Guildhall carries out tasks, up to ${tasks.atOnce} turns at once.`,
          `Data: ${data}`,
          `Repositories: ${repositories}`,
          `Pods: ${pods}`,
          ...(metrics === undefined ? [] : [`Metrics: ${metrics}`]),
          ...notes,
          '',
          'Press Ctrl-C to stop.',
        ];
        const [sentence = ''] = text;
        announce(cli, json, { sentence, result: shown, text: text.join('\n') });
      });
    });
}
