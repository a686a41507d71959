import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { BUILD_FILE, gitDirOf, readBuildFile } from '../../../code/index.ts';
import { type Database, DatabaseUnavailable } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import type { Sealing } from '../../../platform/sealing/sealing.ts';
import { readVariables } from '../../../platform/variables/variables-of.ts';
import { noteRefusals } from '../commands/note-refusals.ts';
import { type CommandPlace, runCommand } from '../commands/run-command.ts';
import { type ClaimedDeploy, type DeployEnd, endDeploy, storeLog, storePod } from './rows.ts';

/** How often a deploy is begun: its worker may die, or its pod. */
export const MOST_ATTEMPTS = 3;
/** How long the command of a deploy may take, in milliseconds. */
const TIMEOUT_MS = 3_600_000;

export interface DeployPlace extends CommandPlace {
  /** Opens the secrets of projects. */
  sealing?: Sealing | undefined;
}

/**
 * Carries out a deploy that this process has claimed: runs the command of its stage, as the merged commit
 * has it, in a pod, and stores what came of it. Rejects with the reason of `signal`, and when git or
 * the pod fails: it may then be begun again. Returns undefined once it is another worker's.
 */
export async function carryOutDeploy(
  db: Database,
  place: DeployPlace,
  deploy: ClaimedDeploy,
  signal: AbortSignal,
): Promise<DeployEnd['state'] | undefined> {
  // What a worker before has left may still run.
  if (deploy.podId !== null) await place.driver.destroy(deploy.podId);
  signal.throwIfAborted();
  const ended =
    deploy.attempts > MOST_ATTEMPTS
      ? ({ state: 'failed', reason: GIVEN_UP } as const)
      : await run(db, place, deploy, signal);
  if (ended === undefined || !(await store(db, deploy, ended, signal))) return undefined;
  return ended.state;
}

/** What has run is not to run again because the database is away for a moment. */
async function store(
  db: Database,
  deploy: ClaimedDeploy,
  ended: DeployEnd,
  signal: AbortSignal,
): Promise<boolean> {
  for (;;) {
    try {
      return await endDeploy(db, deploy, ended);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || signal.aborted) throw error;
      await pause(AGAIN_MS, undefined, { signal });
    }
  }
}

/** Between two attempts to store the end of a deploy. */
const AGAIN_MS = 500;

const GIVEN_UP =
  `It was begun ${MOST_ATTEMPTS} times, and each time its worker was lost. What its commands have ` +
  'done is not known: look, then merge again to deploy again.';

/** Undefined once it is another worker's. */
async function run(
  db: Database,
  place: DeployPlace,
  deploy: ClaimedDeploy,
  signal: AbortSignal,
): Promise<DeployEnd | undefined> {
  const { id, projectId, branch, stage, commit } = deploy;
  const file = await readBuildFile(gitDirOf(place.directory, projectId), commit, signal);
  if ('fault' in file) return { state: 'failed', reason: file.fault };
  const command = file.deploy[stage];
  if (command === undefined)
    return {
      state: 'success',
      reason: `${BUILD_FILE} has no command for ${stage}: nothing was run.`,
    };
  const wanted = { projectId, purpose: 'deploy', stage } as const;
  const variables = await readVariables(db, place.sealing, wanted);
  if ('fault' in variables) return { state: 'failed', reason: variables.fault };
  const podId = randomUUID();
  if (!(await storePod(db, deploy, podId))) return undefined;
  const log = keepLog(db, deploy);
  const { onRefused, noted } = noteRefusals(
    db,
    // It may outlive its task.
    sql`
      select t.id from deploy d join merge m on m.id = d.merge_id join task t on t.id = m.task_id
       where d.id = ${id}`,
  );
  const order = {
    podId,
    projectId,
    commit,
    base: { branch },
    purpose: 'deploy' as const,
    run: command,
    variables,
    timeout: TIMEOUT_MS,
    env: {
      GUILDHALL_DEPLOY_ID: id,
      GUILDHALL_STAGE: stage,
      GUILDHALL_BRANCH: branch,
      GUILDHALL_COMMIT_SHA: commit,
    },
  };
  try {
    const ended = await runCommand(place, order, { signal, onLog: log.keep, onRefused });
    if (ended.conclusion === 'success') return { state: 'success', log: ended.log };
    return { state: 'failed', reason: lastLine(ended.log), log: ended.log };
  } finally {
    await log.stored();
    await noted();
  }
}

/** Says how a command has ended. */
const lastLine = (log: string): string | undefined => log.trimEnd().split('\n').at(-1) || undefined;

/** Stores a log as it grows, the newest one after the one that is being stored. */
function keepLog(db: Database, deploy: ClaimedDeploy) {
  let newest: string | undefined;
  let storing: Promise<void> | undefined;
  async function store(): Promise<void> {
    while (newest !== undefined) {
      const log = newest;
      newest = undefined;
      // Stored again at the end.
      await storeLog(db, deploy, log).catch(() => {});
    }
    storing = undefined;
  }
  return {
    keep(log: string) {
      newest = log;
      storing ??= store();
    },
    stored: () => storing,
  };
}
