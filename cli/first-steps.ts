import { LINK_MINUTES } from '../server/identity/sign-in/sign-in-link.ts';
import type { WorldIds } from './world/rows.ts';

/** What a first start prints for a newcomer: lines to paste into another terminal. */

/** What the lines use, by handle in the demo world; the key is that of `owner`. */
export const DEMO = {
  owner: 'ada@example.com',
  key: 'ada-laptop',
  organization: 'acme',
  project: 'shop',
  task: 'approvals',
};

/** The first line of every start of the demo: a link that signs its owner in. */
export const signInLine = (link: string): string =>
  `Sign in as ${DEMO.owner}, once, within ${LINK_MINUTES} minutes: ${link}`;

const MESSAGE = 'Add notes/greeting.md with a greeting.';

interface FirstSteps {
  url: string;
  key: string;
  ids: WorldIds;
  /** Whether this server carries out tasks. */
  work: boolean;
  /** Whether tasks may have the fake Odoo. */
  erp: boolean;
}

export function firstSteps({ url, key, ids, work, erp }: FirstSteps): string {
  const project = ids.projects[DEMO.project] as string;
  const workspace = ids.organizations[DEMO.organization] as string;
  const curl = (path: string, options = '') =>
    `curl ${options}-H 'Authorization: Bearer ${key}' ${url}/api/${path}`;
  const watch = curl('tasks/$TASK/events', "-N -H 'Accept: text/event-stream' ");
  const json = "-H 'Content-Type: application/json'";
  const create = curl(`projects/${project}/tasks`, `-s ${json} -d '{"message":"${MESSAGE}"}' `);
  const merge = '-d \'{"expected_head_sha":"\'$HEAD\'"}\' ';
  return `This is the first start, so the demo workshop (demo/world.json) was loaded. To see it in a browser
as its owner, open the link in the first line; each start shows another one.

API key of the same person, shown only this once. With this line pasted into another
terminal, the commands in README.md and docs/tutorial.md can be pasted after it:

  export KEY=${key} PROJECT=${project} WORKSPACE=${workspace}

From a message to a deploy: paste these lines into another terminal, one after the other.
${work ? '' : '(This server does not carry out tasks: first start npm run guildhall -- work.)\n'}
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

  # approve the plan of the task "Sale order approval"
  ${curl(`tasks/${ids.tasks[DEMO.task]}/plan/approve`, '-X POST ')}
${erp ? fakeOdoo(curl(`tasks/${ids.tasks[DEMO.task]}/odoo-instance`, '-X POST ')) : ''}
To act as another person, create a key for them:
${createKey('bob@example.com')}`;
}

const fakeOdoo = (start: string) => `
  # give that task a throwaway Odoo, here a fake one (docs/erp.md)
  ${start}
`;

export const createKey = (
  email: string,
) => `  npm run guildhall -- keys create --email ${email} --name laptop

Press Ctrl-C to stop the server.`;
