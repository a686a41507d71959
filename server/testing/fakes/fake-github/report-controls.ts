import {
  addDeployment,
  type CheckReport,
  type DeploymentReport,
  outcomeOf,
  reportCheck,
  reportDeployment,
  reportStatus,
  reportSuite,
  type StatusReport,
} from './reports.ts';
import type {
  CheckRun,
  CheckSuite,
  CommitStatus,
  Deployment,
  DeploymentStatus,
  Repository,
  State,
} from './state.ts';

import {
  checkRunEvent,
  checkSuiteEvent,
  deploymentEvent,
  deploymentStatusEvent,
  statusEvent,
} from './webhooks/report-payloads.ts';

/** What continuous integration and deployment report, for tests. */
export interface ReportControls {
  /** Begins a check run, or goes on with the one of this name that has not ended. */
  check(repository: Repository, sha: string, report: CheckReport): CheckRun;
  /** A workflow that did not even start, or that GitHub gave up: a suite without runs. */
  suite(repository: Repository, sha: string, conclusion: 'startup_failure' | 'stale'): CheckSuite;
  status(repository: Repository, sha: string, report: StatusReport): CommitStatus;
  deploy(repository: Repository, what: { ref: string; environment?: string }): Deployment;
  deployStatus(
    repository: Repository,
    deployment: Deployment,
    state: DeploymentStatus['state'],
    report?: DeploymentReport,
  ): DeploymentStatus;
}

export const reportControlsOf = (state: State): ReportControls => ({
  check(repository, sha, report) {
    const run = reportCheck(state, repository, sha, report);
    checkRunEvent(state, repository, run);
    if (outcomeOf(run.suite, repository).status === 'completed')
      checkSuiteEvent(state, repository, run.suite);
    return run;
  },
  suite(repository, sha, conclusion) {
    const suite = reportSuite(state, repository, sha, conclusion);
    checkSuiteEvent(state, repository, suite);
    return suite;
  },
  status(repository, sha, report) {
    const status = reportStatus(state, repository, sha, report);
    statusEvent(state, repository, status);
    return status;
  },
  deploy(repository, what) {
    const deployment = addDeployment(state, repository, what);
    deploymentEvent(state, repository, deployment);
    return deployment;
  },
  deployStatus(repository, deployment, outcome, report) {
    const status = reportDeployment(state, repository, deployment, outcome, report);
    // As GitHub documents, there is no event for this state.
    if (outcome !== 'inactive') deploymentStatusEvent(state, repository, deployment, status);
    return status;
  },
});
