import { HOME, SOCKETS, WORK_TREE } from '../../server/platform/pods/places.ts';

/** What Odoo is started with, as it sees things in its sandbox. */

interface OdooRun {
  database: string;
  /** Folders of the branch with modules, relative to it. */
  addons: readonly string[];
  /** Folders of the operator's with modules, such as those of Odoo and of the enterprise edition. */
  own: readonly string[];
}

/**
 * One process with one database: no worker processes and no scheduled jobs, and no list of the other
 * databases of the same PostgreSQL. Without a filter Odoo serves the one that is named; with one it
 * would look for those that its role owns, which are none.
 */
const odooArguments = ({ database, addons, own }: OdooRun): string[] => {
  const paths = [
    ...own,
    ...addons.map((path) => (path === '.' ? WORK_TREE : `${WORK_TREE}/${path}`)),
  ];
  return [
    `--database=${database}`,
    `--db_host=${SOCKETS}`,
    '--no-database-list',
    `--data-dir=${HOME}`,
    '--workers=0',
    '--max-cron-threads=0',
    ...(paths.length === 0 ? [] : [`--addons-path=${paths.join(',')}`]),
  ];
};

/** It serves until it is ended, at the socket that it is given; its mails go to the catcher. */
export const servingArguments = (run: OdooRun): string[] => [
  ...odooArguments(run),
  '--smtp=127.0.0.1',
  '--smtp-port=2525',
];

interface Changes {
  install: readonly string[];
  update: readonly string[];
  demo: boolean;
  /** The version of Odoo, such as 19.0. */
  version: string;
  /** Runs the tests of what is installed and updated. */
  testTags?: string | undefined;
}

/** It installs and updates modules, and ends. */
export const changingArguments = (
  run: OdooRun,
  { install, update, demo, version, testTags }: Changes,
): string[] => [
  ...odooArguments(run),
  '--stop-after-init',
  ...(install.length === 0 ? [] : [`--init=${install.join(',')}`]),
  ...(update.length === 0 ? [] : [`--update=${update.join(',')}`]),
  ...(demo ? withDemo(version) : ['--without-demo=true']),
  ...(testTags === undefined ? ['--no-http'] : [`--test-tags=${testTags}`]),
];

/** Before version 19, Odoo installs demo data unless it is told not to. */
const withDemo = (version: string) => (Number.parseInt(version, 10) < 19 ? [] : ['--with-demo']);

/**
 * For `odoo shell`: what is attached to records is in the database from then on, which is copied as
 * a whole.
 */
export const SHELL_SCRIPT = `
env['ir.config_parameter'].set_param('ir_attachment.location', 'db')
env['ir.attachment'].force_storage()
env.cr.commit()
`;

export const shellArguments = (run: OdooRun): string[] => [
  'shell',
  ...odooArguments(run),
  '--no-http',
];

/** It restores a dump from its input into a database, and goes on after what it cannot do. */
export const restoringArguments = (database: string): string[] => [
  '--no-psqlrc',
  '--quiet',
  '--output=/dev/null',
  '--set=ON_ERROR_STOP=0',
  '--set=VERBOSITY=verbose',
  `--dbname=${database}`,
  '--file=-',
];

export const neutralizingArguments = (run: OdooRun): string[] => [
  'neutralize',
  ...odooArguments(run),
];
