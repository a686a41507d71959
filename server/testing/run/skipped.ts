import { parseArgs } from 'node:util';
import { GROUPS } from './skipped/groups.ts';
import { runGroups } from './skipped/run-groups.ts';

/**
 * Runs the tests that `npm test` skips where a program is missing, with what the registries have.
 * Programs are unpacked into a folder, not installed: nothing of the machine changes.
 */

const HELP = `npm run test:skipped -- [--only NAME] [--folder PATH] [--help]

Fetches what some tests need and a machine often lacks, and runs exactly those tests.
Debian's programs are unpacked by apt-get and dpkg, agents come by npm, PostgreSQL 15 runs
on a free port. All of it is in a temporary folder that is removed at the end, also after
Ctrl-C. The status is 0 if no test failed and what --only names has run.

  --only NAME    may be repeated; one of: redis, haproxy, exim, pgbouncer, postgresql, pods,
                 images, arm64, agents, packages, gitea, forgejo, odoo, odoo-16,
                 previous, debian, bucket, helm
  --folder PATH  a folder for what is fetched, which then stays; a second run finds it there
`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true },
      folder: { type: 'string' },
    },
  });
  if (!values.help) return runGroups(GROUPS, { only: values.only, folder: values.folder });
  console.log(HELP);
  return 0;
}

process.exitCode = await main().catch((error: Error) => {
  console.error(error.message);
  return 1;
});
