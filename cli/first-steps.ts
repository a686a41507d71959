import type { Command } from 'commander';
import type { Database, Tx } from '../server/db/database/database.ts';
import { sql } from '../server/db/sql.ts';
import { createKey } from '../server/identity/keys/keys.ts';
import { addressOf } from './address.ts';
import { type Cli, withDatabase, withJson } from './command.ts';
import { DEMO } from './demo.ts';
import { Failure } from './failure.ts';
import { recordFromCli } from './record.ts';

const KEY_NAME = 'first steps';
const KEY_DAYS = 7;

/**
 * `guildhall first-steps`: lines to paste into a terminal, for a newcomer who has started the demo
 * workshop and wants to try its API.
 */
export function addFirstSteps(program: Command, cli: Cli): void {
  withJson(program.command('first-steps'))
    .description(
      `print commands that try the API in the demo workshop, with a new key of its owner for ${KEY_DAYS} days`,
    )
    .action(async ({ json }: { json?: boolean }) => {
      const config = cli.readConfig();
      const steps = await withDatabase(config, prepare);
      const url = await addressOf(config);
      cli.print(json, { url, ...steps }, asText(url, steps, config.erpInstances.sandbox));
    });
}

interface Steps {
  key: string;
  workspace: string;
  project: string;
  /** The task whose plan waits in the demo workshop; null once it is deleted. */
  task: string | null;
}

const prepare = (db: Database): Promise<Steps> =>
  db.transaction(async (tx) => {
    const places = await placesOf(tx);
    if (places === undefined) throw new Failure(NO_DEMO);
    const expiresAt = new Date(Date.now() + KEY_DAYS * 86_400_000);
    const created = await createKey(tx, { email: DEMO.owner, name: KEY_NAME, expiresAt });
    if (created === undefined) throw new Failure(NO_DEMO);
    const { id, email, secret } = created;
    await recordFromCli(tx, { action: 'key.create', target: id, after: { email, name: KEY_NAME } });
    return { key: secret, ...places };
  });

const NO_DEMO =
  'There is no demo workshop here: a first start with an empty DATA_DIR loads it. For lines with ' +
  'your own ids, see docs/tutorial.md.';

/** The oldest of its kind, which the first start has made; undefined where it is gone. */
const placesOf = (tx: Pick<Tx, 'maybeOne'>): Promise<Omit<Steps, 'key'> | undefined> =>
  tx.maybeOne(sql`
    select o.id as workspace, p.id as project,
           (select id from task where project_id = p.id and title = 'Sale order approval'
             order by created_at limit 1) as task
      from app_user u
      join organization o on o.owner_user_id = u.id and o.name = 'Acme'
      join project p on p.organization_id = o.id and p.name = 'Web shop'
     where u.email = ${DEMO.owner}
     order by o.created_at, p.created_at limit 1`);

const MESSAGE = 'Add notes/greeting.md with a greeting.';

function asText(url: string, steps: Steps, erp: boolean): string {
  const { key, workspace, project, task } = steps;
  const curl = (path: string, options = '') =>
    `curl ${options}-H 'Authorization: Bearer ${key}' ${url}/api/${path}`;
  const watch = curl('tasks/$TASK/events', "-N -H 'Accept: text/event-stream' ");
  const json = "-H 'Content-Type: application/json'";
  const create = curl(`projects/${project}/tasks`, `-s ${json} -d '{"message":"${MESSAGE}"}' `);
  const merge = '-d \'{"expected_head_sha":"\'$HEAD\'"}\' ';
  return `A key of ${DEMO.owner} for ${KEY_DAYS} days, shown only this once. With this line pasted into a terminal, the
commands in README.md and docs/tutorial.md can be pasted after it:

  export KEY=${key} PROJECT=${project} WORKSPACE=${workspace}

From a message to a deploy: paste these lines, one after the other. (Where the server was started with --no-work, start
npm run guildhall -- work beside it first.)

  # give the agent a task, and keep its id in $TASK
  TASK=$(${create} | cut -d'"' -f4); echo $TASK

  # watch it plan; when the last line says awaiting_approval, press Ctrl-C
  ${watch}

  # approve its plan
  ${curl('tasks/$TASK/plan/approve', '-X POST ')}

  # watch it build; when the last line says ready, press Ctrl-C
  ${watch}

  # open its pull request, and keep its last commit in $HEAD
  HEAD=$(${curl('tasks/$TASK/pull-request', '-s -X POST ')} | grep -o '"head_sha":"[^"]*' | cut -d'"' -f4); echo $HEAD

  # merge that commit; a worker does, within a second
  ${curl('tasks/$TASK/merge', `${json} ${merge}`)}

  # see that it is merged
  ${curl('tasks/$TASK/merge')}

  # see that the merge is deployed; this one has no command for it
  ${curl(`projects/${project}/deploys`)}

  # clone the repository: the change is there
  git -c http.extraHeader='Authorization: Bearer ${key}' clone -q ${url}/git/${project}/main.git shop; git --no-pager -C shop log --stat

More to try in the demo workshop:

  # who can open the project "Web shop"
  ${curl(`projects/${project}/people`)}

  # pending invitations to the workspace "Acme"
  ${curl(`organizations/${workspace}/invitations`)}
${task === null ? '' : ofTask(task, curl, erp)}
To act as another person, create a key for them:

  npm run guildhall -- keys create --email bob@example.com --name laptop`;
}

const ofTask = (task: string, curl: (path: string, options: string) => string, erp: boolean) => `
  # approve the plan of the task "Sale order approval"
  ${curl(`tasks/${task}/plan/approve`, '-X POST ')}
${erp ? fakeOdoo(curl(`tasks/${task}/odoo-instance`, '-X POST ')) : ''}`;

const fakeOdoo = (start: string) => `
  # give that task a throwaway Odoo, here a fake one (docs/erp.md)
  ${start}
`;
