import { randomBytes } from 'node:crypto';
import type { BuildFile } from '../../../code/index.ts';
import type { Database } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import {
  type InstanceCode,
  type InstanceDriver,
  InstanceError,
  readOdooTests,
  summaryOf,
} from '../../../erp/index.ts';
import { hiding } from '../../../telemetry/hide-secrets.ts';
import { commandLog } from '../commands/command-log.ts';
import type { CommandOptions } from '../commands/run-command.ts';
import { type CodePlace, codeOfTask } from '../instances/instance-code.ts';
import type { CheckEnd, CheckToRun, Run, Suite } from './suites.ts';

/** The tests of the Odoo modules of a commit, in a database of their own, as a check. */

const NAME = 'Odoo tests';
const MINUTES = 30;

/** The check that a build file asks for. */
export const odooChecks = ({ odoo }: BuildFile): CheckToRun[] =>
  odoo?.testTags === undefined
    ? []
    : [{ name: NAME, kind: 'odoo', run: odoo.testTags, timeoutMinutes: MINUTES }];

interface TestsPlace extends CodePlace {
  db: Database;
  /** Undefined where this worker runs no instances. */
  driver: InstanceDriver | undefined;
}

interface Tests {
  suite: Suite;
  run: Run;
  /** Of a place for them, which is gone afterwards. */
  id: string;
}

/** Rejects with the reason of the signal, and with an Error where the tests may be run again. */
export async function runOdooTests(
  place: TestsPlace,
  { suite, run, id }: Tests,
  { signal, onLog = () => {} }: CommandOptions,
): Promise<CheckEnd> {
  const { db, driver } = place;
  if (driver?.test === undefined) return failure(NOT_HERE);
  const found = await codeOfTask(place, suite.taskId, { commit: suite.head, signal });
  if (found.fault !== undefined) return failure(found.fault);
  if (found.code === undefined) return failure('The commit has no Odoo modules.');
  const project = await db.one<{ erpVersion: string; edition: string }>(sql`
    select erp_version as "erpVersion", erp_edition as edition
      from project where id = ${suite.projectId}`);
  const late = AbortSignal.timeout(run.timeoutMinutes * 60_000);
  const password = randomBytes(24).toString('base64url');
  const hide = hiding([password]);
  const logOf = (text: string): string => {
    const log = commandLog(hide);
    log.add(Buffer.from(text));
    return log.text();
  };
  const code: InstanceCode = {
    ...found.code,
    order: { ...found.code.order, testTags: run.command },
  };
  const database = `guildhall_${id.replaceAll('-', '')}`;
  try {
    const ended = await driver.test(
      { ...project, id, database, password, code },
      { signal: AbortSignal.any([signal, late]), onLog: (log) => onLog(logOf(log)) },
    );
    if (ended === undefined) return failure(NOT_HERE);
    const tests = readOdooTests(ended.log, ended.root);
    const passed = ended.code === 0 && tests.failed.length === 0 && (tests.ran ?? 0) > 0;
    const log = logOf(`${ended.log}\n${summaryOf(tests)}It ended with code ${ended.code}.\n`);
    const failures = tests.failed.map(({ test, file, text }) => ({
      test: hide(test),
      ...(file !== undefined && { file: hide(file) }),
      text: hide(text),
    }));
    return { conclusion: passed ? 'success' : 'failure', log, failures };
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted)
      return {
        conclusion: 'timed_out',
        log: `It was ended after ${run.timeoutMinutes} minutes.\n`,
      };
    if (error instanceof InstanceError && error.code === 'failed') return failure(error.sentence);
    throw error;
  } finally {
    // What cannot be removed now is found by the reaper of instances.
    await driver.destroy(id).catch(() => {});
  }
}

const NOT_HERE =
  'This server runs no tests of Odoo modules for the version of the project: ask its operator to ' +
  'set ERP_INSTANCES=command, with a `test` in erp_programs (docs/erp.md).';

const failure = (sentence: string): CheckEnd => ({ conclusion: 'failure', log: `${sentence}\n` });
