import {
  addDeployment,
  type CheckReport,
  type DeploymentReport,
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
  check: (repository, sha, report) => reportCheck(state, repository, sha, report),
  suite: (repository, sha, conclusion) => reportSuite(state, repository, sha, conclusion),
  status: (repository, sha, report) => reportStatus(state, repository, sha, report),
  deploy: (repository, what) => addDeployment(state, repository, what),
  deployStatus: (repository, deployment, outcome, report) =>
    reportDeployment(state, repository, deployment, outcome, report),
});
