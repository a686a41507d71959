import { readCommit } from '../git/commits.ts';
import { outcomeOf } from '../reports.ts';
import { checkRunShape, checkSuiteShape } from '../shapes/checks.ts';
import { commitShape } from '../shapes/commits.ts';
import { deploymentShape, deploymentStatusShape } from '../shapes/deployments.ts';
import {
  type CheckRun,
  type CheckSuite,
  type CommitStatus,
  type Deployment,
  type DeploymentStatus,
  fullName,
  type Repository,
  type State,
} from '../state.ts';
import { common } from './account-payloads.ts';
import { emitIn } from './events.ts';

/** Events of what others report on commits. */

export function checkRunEvent(state: State, repository: Repository, run: CheckRun): void {
  const action = run.status === 'completed' ? 'completed' : 'created';
  emitIn(state, repository, 'check_run', (installation) => {
    const shape = checkRunShape(run, repository, state.at);
    return {
      ...common(state, repository, installation, state.person),
      action,
      check_run: {
        ...shape,
        // The event knows fewer states than the API.
        status:
          shape.status === 'waiting' || shape.status === 'requested' ? 'pending' : shape.status,
        check_suite: {
          id: run.suite.id,
          head_branch: run.suite.branch,
          head_sha: run.suite.sha,
          ...suiteOutcome(run.suite, repository),
        },
      },
    };
  });
}

function suiteOutcome(suite: CheckSuite, repository: Repository) {
  const { status, conclusion } = outcomeOf(suite, repository);
  return { status: status === 'requested' ? ('pending' as const) : status, conclusion };
}

export function checkSuiteEvent(state: State, repository: Repository, suite: CheckSuite): void {
  emitIn(state, repository, 'check_suite', async (installation) => {
    const commit = await readCommit(repository.gitDir, suite.sha);
    const shape = checkSuiteShape(suite, commit, repository, state.at);
    const { author, committer, ...head } = shape.head_commit;
    return {
      ...common(state, repository, installation, state.person),
      action: 'completed',
      check_suite: {
        ...shape,
        head_commit: { ...head, author, committer },
        status: 'completed',
      },
    };
  });
}

export function statusEvent(state: State, repository: Repository, status: CommitStatus): void {
  const { id, sha, context, state: outcome, description, targetUrl, at } = status;
  emitIn(state, repository, 'status', async (installation) => {
    const when = new Date(at).toISOString();
    const commit = await readCommit(repository.gitDir, sha);
    const url = `${state.at.api}/repos/${fullName(repository)}/commits/${sha}`;
    return {
      ...common(state, repository, installation, state.person),
      id,
      sha,
      name: fullName(repository),
      context,
      state: outcome,
      description,
      target_url: targetUrl,
      branches: [...repository.branches]
        .filter(([, head]) => head === sha)
        .map(([name]) => ({ name, commit: { sha, url }, protected: false })),
      commit: commitShape(commit, repository, state.at),
      created_at: when,
      updated_at: when,
    };
  });
}

export function deploymentEvent(
  state: State,
  repository: Repository,
  deployment: Deployment,
): void {
  emitIn(state, repository, 'deployment', (installation) => ({
    ...common(state, repository, installation, state.person),
    action: 'created',
    deployment: deploymentShape(deployment, state.person, repository, state.at),
    workflow: null,
    workflow_run: null,
  }));
}

export function deploymentStatusEvent(
  state: State,
  repository: Repository,
  deployment: Deployment,
  status: DeploymentStatus,
): void {
  const { at, person } = state;
  emitIn(state, repository, 'deployment_status', (installation) => ({
    ...common(state, repository, installation, person),
    action: 'created',
    deployment: deploymentShape(deployment, person, repository, at),
    deployment_status: deploymentStatusShape(status, deployment, person, repository, at),
    check_run: null,
    workflow: null,
    workflow_run: null,
  }));
}
