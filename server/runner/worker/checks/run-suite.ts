import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { BUILD_FILE, gitDirOf, readBuildFile } from '../../../code/index.ts';
import type { Database } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import type { InstanceDriver } from '../../../erp/index.ts';
import type { Sealing } from '../../../platform/sealing/sealing.ts';
import { readVariables } from '../../../platform/variables/variables-of.ts';
import { chosenBase } from '../chosen-base.ts';
import type { CodeObserver } from '../code-metrics.ts';
import { noteRefusals } from '../commands/note-refusals.ts';
import { type CommandOptions, type CommandPlace, runCommand } from '../commands/run-command.ts';
import { keepLease } from '../keep-lease.ts';
import { odooChecks, runOdooTests } from './odoo-check.ts';
import {
  addFault,
  addRuns,
  beginRun,
  endRun,
  endSuite,
  LostSuite,
  leaveSuite,
  type Run,
  renewSuite,
  runsOf,
  type Suite,
  storeLog,
} from './suites.ts';

interface SuitePlace extends CommandPlace {
  db: Database;
  log: Logger;
  observer?: CodeObserver | undefined;
  /** Opens the secrets of projects. */
  sealing?: Sealing | undefined;
  /** Where the tests of Odoo modules are run. */
  instances?: InstanceDriver | undefined;
  times: SuiteTimes;
}

/** In milliseconds. */
export interface SuiteTimes {
  /** How long a suite belongs to its worker. */
  lease: number;
  /** Between two renewals, in each of which the worker learns that it has lost the suite. */
  renew: number;
  /** A suite that was not renewed for so long is given up, before the lease ends. */
  silence: number;
  /** After an attempt has failed, multiplied by the number of attempts. */
  again: number;
}

/** How often a suite is begun with by workers that vanish, or whose pods fail. */
const MOST_ATTEMPTS = 3;

/**
 * Runs the checks of a suite that have not ended, one after the other, each in a pod of its own.
 * `stopped` ends it and leaves the rest to other workers.
 */
export async function runSuite(
  place: SuitePlace,
  suite: Suite,
  stopped: AbortSignal,
): Promise<void> {
  const { db, log, times } = place;
  const lease = keepLease({
    renew: () => renewSuite(db, suite, times.lease),
    isLost: (error) => error instanceof LostSuite,
    expired: () => new LostSuite(suite.id),
    every: times.renew,
    silence: times.silence,
  });
  const begun = performance.now();
  const signal = AbortSignal.any([stopped, lease.lost]);
  try {
    // Renewed no more when it is left: a renewal that comes late would keep it from others.
    const conclusion = await carryOut(place, suite, signal).finally(() => lease.end());
    place.observer?.onEnd('checks', conclusion, (performance.now() - begun) / 1_000);
  } catch (error) {
    if (error instanceof LostSuite || lease.lost.aborted) return;
    if (!stopped.aborted)
      log.warn({ err: error, suite: suite.id, task: suite.taskId }, 'checks could not be run');
    const delay = stopped.aborted ? undefined : times.again * suite.attempt;
    await leaveSuite(db, suite, delay);
  }
}

/** Returns its conclusion. */
async function carryOut(place: SuitePlace, suite: Suite, signal: AbortSignal): Promise<string> {
  const { db, driver, directory } = place;
  // The reaper of pods finds it if that fails.
  if (suite.formerPod !== null)
    for (const each of [driver, place.instances])
      await each?.destroy(suite.formerPod).catch(() => {});
  if (suite.attempt > MOST_ATTEMPTS) return giveUp(db, suite);
  let runs = await runsOf(db, suite);
  if (runs === undefined) {
    const gitDir = gitDirOf(directory, suite.projectId);
    const file = await readBuildFile(gitDir, suite.head, signal);
    if ('fault' in file) await addFault(db, suite, { name: BUILD_FILE, fault: `${file.fault}\n` });
    else await addRuns(db, suite, [...file.checks, ...odooChecks(file)]);
    runs = (await runsOf(db, suite)) ?? [];
  }
  const { onRefused, noted } = noteRefusals(
    db,
    sql`select id from task where id = ${suite.taskId}`,
  );
  for (const run of runs) await runOne(place, suite, run, { signal, onRefused }).finally(noted);
  return endSuite(db, suite);
}

async function runOne(
  place: SuitePlace,
  suite: Suite,
  run: Run,
  { signal, onRefused }: Pick<CommandOptions, 'signal' | 'onRefused'>,
): Promise<void> {
  const { db, log, sealing } = place;
  const { taskId, projectId, head: commit } = suite;
  const podId = randomUUID();
  await beginRun(db, suite, run, podId);
  let storing: Promise<void> = Promise.resolve();
  const store = (text: string) => {
    storing = storing
      .then(() => storeLog(db, suite, run, text))
      // Its end is stored later, or another worker has it.
      .catch((err) => log.debug({ err, suite: suite.id }, 'a log could not be stored'));
  };
  if (run.kind === 'odoo') {
    const tests = { ...place, driver: place.instances };
    const options = { signal, onLog: store };
    const end = await runOdooTests(tests, { suite, run, id: podId }, options).finally(
      () => storing,
    );
    return endRun(db, suite, run, end);
  }
  // Of this purpose alone: nobody has approved what runs here.
  const variables = await readVariables(db, sealing, { projectId, purpose: 'checks' });
  if ('fault' in variables)
    return endRun(db, suite, run, { conclusion: 'failure', log: `${variables.fault}\n` });
  const branch = await chosenBase(db)(taskId);
  const end = await runCommand(
    place,
    {
      podId,
      projectId,
      commit,
      base: branch === undefined ? undefined : { branch, taskId },
      purpose: 'checks',
      run: run.command,
      variables,
      timeout: run.timeoutMinutes * 60_000,
      env: { GUILDHALL_TASK_ID: taskId, GUILDHALL_HEAD_SHA: commit },
    },
    { signal, onLog: store, onRefused },
  ).finally(() => storing);
  await endRun(db, suite, run, end);
}

const GIVEN_UP =
  `The workers that ran it, or their pods, failed ${MOST_ATTEMPTS} times. Push another commit to ` +
  'run it again, and ask whoever operates this server if that helps nothing.\n';

/** Ends a suite whose workers have failed too often. */
async function giveUp(db: Database, suite: Suite): Promise<string> {
  const runs = await runsOf(db, suite);
  if (runs === undefined) await addFault(db, suite, { name: BUILD_FILE, fault: GIVEN_UP });
  for (const run of runs ?? [])
    await endRun(db, suite, run, { conclusion: 'failure', log: GIVEN_UP });
  return endSuite(db, suite);
}
