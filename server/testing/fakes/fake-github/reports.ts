import {
  type CheckRun,
  type CheckSuite,
  type CommitStatus,
  type Deployment,
  type DeploymentStatus,
  newId,
  type Reporter,
  type Repository,
  type State,
} from './state.ts';

/** What others report on commits: check runs, commit statuses, deployments. */

export const ACTIONS: Reporter = { id: 15_368, slug: 'github-actions' };

export interface CheckReport {
  name: string;
  /** Default: completed with a conclusion, otherwise queued. */
  status?: CheckRun['status'];
  conclusion?: CheckRun['conclusion'];
  title?: string;
  summary?: string;
  detailsUrl?: string;
  log?: string;
  /** Default: GitHub Actions. */
  reporter?: Reporter;
}

/** Goes on with a run of this name that has not ended; otherwise begins a new one. */
export function reportCheck(
  state: State,
  repository: Repository,
  sha: string,
  { reporter = ACTIONS, ...report }: CheckReport,
): CheckRun {
  const suite = suiteOf(state, repository, sha, reporter);
  const { conclusion = null, status = conclusion ? 'completed' : 'queued', ...rest } = report;
  const found = [...repository.runs.values()].find(
    (each) => each.suite === suite && each.name === report.name && each.status !== 'completed',
  );
  const run: CheckRun = found ?? {
    id: newId(),
    suite,
    status: 'queued',
    conclusion: null,
    title: null,
    summary: null,
    detailsUrl: null,
    log: undefined,
    startedAt: state.now(),
    completedAt: undefined,
    ...rest,
  };
  const ended = status === 'completed';
  Object.assign(run, rest, { status, conclusion: ended ? conclusion : null });
  if (ended) run.completedAt = state.now();
  suite.updatedAt = state.now();
  repository.runs.set(run.id, run);
  return run;
}

/** A suite without runs that has ended: `startup_failure` or `stale`. */
export function reportSuite(
  state: State,
  repository: Repository,
  sha: string,
  conclusion: CheckSuite['conclusion'],
  reporter: Reporter = ACTIONS,
): CheckSuite {
  return Object.assign(suiteOf(state, repository, sha, reporter), { conclusion });
}

function suiteOf(
  state: State,
  { suites, branches }: Repository,
  sha: string,
  reporter: Reporter,
): CheckSuite {
  const found = [...suites.values()].find(
    (each) => each.sha === sha && each.reporter.id === reporter.id,
  );
  if (found !== undefined) return found;
  const branch = [...branches].find(([, head]) => head === sha)?.[0] ?? null;
  const now = state.now();
  const ids = { id: newId(), reporter, sha, branch, conclusion: null };
  const made: CheckSuite = { ...ids, createdAt: now, updatedAt: now };
  suites.set(made.id, made);
  return made;
}

/** The worst of the runs that were begun last decides. */
const WORST = [
  'failure',
  'timed_out',
  'startup_failure',
  'cancelled',
  'action_required',
  'stale',
  'success',
  'neutral',
  'skipped',
] as const;

export function outcomeOf(
  suite: CheckSuite,
  repository: Repository,
): { status: CheckRun['status']; conclusion: CheckSuite['conclusion'] } {
  const runs = latest([...repository.runs.values()].filter((each) => each.suite === suite));
  if (runs.length === 0)
    return { status: suite.conclusion ? 'completed' : 'queued', conclusion: suite.conclusion };
  const open = runs.filter(({ status }) => status !== 'completed');
  if (open.length > 0)
    return {
      status:
        open.length === runs.length && open.every(({ status }) => status === 'queued')
          ? 'queued'
          : 'in_progress',
      conclusion: null,
    };
  const conclusion = WORST.find((each) => runs.some((run) => run.conclusion === each)) ?? null;
  return { status: 'completed', conclusion };
}

/** Of the runs of one name and reporter, the last one. */
export const latest = (runs: CheckRun[]): CheckRun[] => [
  ...new Map(runs.map((run) => [`${run.suite.id} ${run.name}`, run])).values(),
];

export type StatusReport = Partial<Pick<CommitStatus, 'description' | 'targetUrl'>> &
  Pick<CommitStatus, 'context' | 'state'>;

export function reportStatus(
  state: State,
  { statuses }: Repository,
  sha: string,
  report: StatusReport,
): CommitStatus {
  const ids = { id: newId(), sha, at: state.now() };
  const made: CommitStatus = { description: null, targetUrl: null, ...report, ...ids };
  statuses.push(made);
  return made;
}

/** Of each context the last one counts. */
export const statusesOf = ({ statuses }: Repository, sha: string): CommitStatus[] => [
  ...new Map(
    statuses.filter((each) => each.sha === sha).map((each) => [each.context, each]),
  ).values(),
];

/** No status at all is `pending`, too. */
export function combined(statuses: CommitStatus[]): 'failure' | 'pending' | 'success' {
  if (statuses.some(({ state }) => state === 'error' || state === 'failure')) return 'failure';
  const succeeded = statuses.length > 0 && statuses.every(({ state }) => state === 'success');
  return succeeded ? 'success' : 'pending';
}

export function addDeployment(
  state: State,
  repository: Repository,
  { ref, environment = 'production' }: { ref: string; environment?: string },
): Deployment {
  const now = state.now();
  const made: Deployment = {
    id: newId(),
    sha: repository.branches.get(ref) ?? ref,
    ref,
    environment,
    description: null,
    createdAt: now,
    updatedAt: now,
    statuses: [],
  };
  repository.deployments.set(made.id, made);
  return made;
}

export const isProduction = ({ environment }: Deployment): boolean => environment === 'production';

export type DeploymentReport = Partial<Omit<DeploymentStatus, 'id' | 'state' | 'at'>>;

/**
 * Adds a status. As by GitHub, a success makes earlier ones of the same environment inactive, but
 * not in production.
 */
export function reportDeployment(
  state: State,
  { deployments }: Repository,
  deployment: Deployment,
  outcome: DeploymentStatus['state'],
  report: DeploymentReport = {},
): DeploymentStatus {
  const add = (to: Deployment, next: DeploymentStatus['state'], more: DeploymentReport) => {
    const ids = { id: newId(), at: state.now(), state: next };
    const made = { description: '', environmentUrl: '', logUrl: '', ...more, ...ids };
    to.statuses.push(made);
    to.updatedAt = made.at;
    return made;
  };
  const made = add(deployment, outcome, report);
  if (outcome !== 'success' || isProduction(deployment)) return made;
  for (const each of deployments.values())
    if (
      each !== deployment &&
      each.environment === deployment.environment &&
      each.statuses.at(-1)?.state === 'success'
    )
      add(each, 'inactive', {});
  return made;
}
