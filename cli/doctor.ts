import type { Command } from 'commander';
import { withoutSecrets } from '../server/telemetry/hide-secrets.ts';
import { type Cli, withJson } from './command.ts';
import { printable } from './printable.ts';

const WIDEST = 400;

/** `guildhall doctor`: says what is wrong with this machine and its settings. */
export function addDoctor(program: Command, cli: Cli): void {
  withJson(program.command('doctor'))
    .description('say what is wrong with this machine and its settings; changes nothing')
    .option(
      '--online',
      'also ask Stripe, GitHub and the providers of models whether they take the keys',
    )
    .addHelpText(
      'after',
      `
One line for each check: ok, warning (it works, and should be changed) or FAILURE (something does not
work), and what to do. It needs no server and no database, and may run beside both.
Exit status: 0 without failures, 1 with at least one, 2 for wrong usage.`,
    )
    .action(async ({ online = false, json }: { online?: boolean; json?: boolean }) => {
      const { doctor } = await import('../server/main/doctor/doctor.ts');
      const found = (await doctor(cli.env, { online })).map((one) => ({
        ...one,
        text: withoutSecrets(one.text),
      }));
      const failures = found.filter(({ level }) => level === 'failure').length;
      const warnings = found.filter(({ level }) => level === 'warning').length;
      const lines = found.map(({ name, level, text }) => {
        const shown = level === 'failure' ? 'FAILURE' : level;
        return `${shown.padEnd(7)}  ${name}: ${printable(text, WIDEST)}`;
      });
      const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
      const end =
        failures + warnings === 0
          ? 'Nothing is wrong.'
          : `${counted(failures, 'failure')}, ${counted(warnings, 'warning')}.`;
      cli.print(json, { failures, warnings, checks: found }, [...lines, '', end].join('\n'));
      if (failures > 0) cli.fail();
    });
}
