import type { Network } from '../../network/network.ts';
import type { Turn } from '../claim.ts';
import { ARTIFACTS } from '../collect-artifacts.ts';
import type { SetupEnd } from '../environment/environment.ts';
import { lastOf } from '../environment/setup-log.ts';
import type { Conversation } from './read-conversation.ts';

/** What stands before the message or plan in the prompt of a turn. */

const PLAN =
  'Write a plan for the following, and do not change anything yet. A person reads the plan and ' +
  'approves it before you may work on it. Your last message must be the whole plan.';
const REVISE =
  'The task has a plan already. Write its next version, and do not change anything yet: what ' +
  'follows is what a person says now, and what the task asked for before still holds. A person ' +
  'reads the plan and approves it before you may work on it. Your last message must be the whole ' +
  'plan.';
const BUILD = 'This plan was approved. Carry it out.';
const FILES =
  'Files that are for a person and not for the repository, such as reports and screenshots, ' +
  `belong in the folder ${ARTIFACTS} of the work tree.`;
const ERP =
  'Odoo servers are at hand. The environment variable GUILDHALL_ERP lists them as JSON: each with ' +
  'a local `url` for JSON-2, XML-RPC or JSON-RPC (`protocols`), its `database` and `login`, and ' +
  'whether you may `write` there or only `read`. The value of GUILDHALL_ERP_TOKEN is the bearer ' +
  'token, or the password.';
const INTERRUPTED =
  'You were interrupted while you worked on this. See what is done already, then go on.';

const CHANGED = 'The work tree is not as you left it: look at it again.';

/** What is told of the network, where there is any. */
function reachable({ hosts }: Pick<Network, 'hosts'>): string[] {
  if (hosts.length === 0) return [];
  const named = hosts.slice(0, MOST_NAMED).join(', ');
  const more = hosts.length > MOST_NAMED ? ` and ${hosts.length - MOST_NAMED} more` : '';
  return [
    `Programs reach these hosts, through the proxy that HTTPS_PROXY names: ${named}${more}. It ` +
      'refuses all others: say so if you need one, and an admin of the project can add it.',
  ];
}

/** Hosts that an agent is told of. */
const MOST_NAMED = 50;

/** Bytes of the log of a setup that an agent is told. */
const TOLD_BYTES = 4_000;

const setupFailed = ({ command, log }: SetupEnd): string =>
  'The setup of this environment has failed, so that programs and packages may be missing. Mend ' +
  'it if it is part of what you are asked to do, or if you cannot work without it. The command ' +
  `was:\n\n${command}\n\nThe end of what it has printed:\n\n${lastOf(log, TOLD_BYTES)}`;

/** What has happened to the work tree and the session of an agent, and what is at hand. */
interface Known {
  resumed: boolean;
  /** What people have done to the branch meanwhile. */
  pushed: string | undefined;
  /** How the setup of the pod has failed. */
  setup: SetupEnd | undefined;
  /** Whether there are Odoo servers. */
  erp: boolean;
  /** What an Odoo project is told of itself. */
  odoo?: string | undefined;
  network: Pick<Network, 'hosts'> | undefined;
}

/** Why an agent is told of the past, as the beginning of a sentence. */
export function whyAnew(fresh: boolean, resumed: boolean): string {
  if (resumed)
    return 'The agent had not answered in its session, and gets the summary of what came before again:';
  return fresh
    ? 'The agent begins anew in a new pod. It gets a summary of what came before:'
    : 'The agent begins a new session, as it could not continue the one before. It gets a summary of what came before:';
}

/** Stands before the message or plan in the prompt. Its work tree is as it was left. */
export function instructionsFor(
  { kind, mode, attempt }: Turn,
  { plan }: Pick<Conversation, 'plan'>,
  { resumed, pushed, setup, erp, odoo, network }: Known,
): string | undefined {
  const all = [
    ...(pushed === undefined ? [] : [`${pushed} ${CHANGED}`]),
    ...(attempt > 1 && resumed ? [INTERRUPTED] : []),
    ...(kind === 'plan' ? [plan === null ? PLAN : REVISE] : kind === 'build' ? [BUILD] : []),
    ...(mode === 'build' ? [FILES] : []),
    ...(setup === undefined ? [] : [setupFailed(setup)]),
    ...(odoo === undefined ? [] : [odoo]),
    ...(erp ? [ERP] : []),
    ...(network === undefined ? [] : reachable(network)),
  ];
  return all.length === 0 ? undefined : all.join('\n\n');
}
