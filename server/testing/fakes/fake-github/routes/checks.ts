import { resolve } from '../git/bare.ts';
import { readCommit } from '../git/commits.ts';
import { logLink } from '../logs.ts';
import { pageOf } from '../pages.ts';
import { errorBody, notFound, Refusal } from '../refusals.ts';
import { ACTIONS, latest, statusesOf } from '../reports.ts';
import { type InRepository, repositoryRoute } from '../router.ts';
import { checkRunShape, checkSuiteShape, combinedShape } from '../shapes/checks.ts';

const COMMIT = '/repos/{owner}/{repo}/commits/{ref}';

/** What was reported on a commit. */
export const CHECK_ROUTES = [
  repositoryRoute('get', `${COMMIT}/check-runs`, { checks: 'read' })(async (call) => {
    const { repository, at, query, self } = call;
    const sha = await commitOf(call);
    const { name, status, app } = Object.fromEntries([
      ['name', query.get('check_name')],
      ['status', query.get('status')],
      ['app', query.get('app_id')],
    ]);
    const all = [...repository.runs.values()].filter(
      (run) =>
        run.suite.sha === sha &&
        (name === null || run.name === name) &&
        (status === null || run.status === status) &&
        (app === null || String(run.suite.reporter.id) === app),
    );
    const shown = query.get('filter') === 'all' ? all : latest(all);
    const { items, headers } = pageOf(shown.reverse(), query, self);
    return {
      status: 200,
      body: {
        total_count: shown.length,
        check_runs: items.map((run) => checkRunShape(run, repository, at)),
      },
      headers,
    };
  }),

  repositoryRoute('get', `${COMMIT}/check-suites`, { checks: 'read' })(async (call) => {
    const { repository, at, query, self } = call;
    const sha = await commitOf(call);
    const commit = await readCommit(repository.gitDir, sha);
    const all = [...repository.suites.values()].filter((each) => each.sha === sha);
    const { items, headers } = pageOf(all, query, self);
    return {
      status: 200,
      body: {
        total_count: all.length,
        check_suites: items.map((each) => checkSuiteShape(each, commit, repository, at)),
      },
      headers,
    };
  }),

  repositoryRoute('get', `${COMMIT}/status`, { statuses: 'read' })(async (call) => {
    const { repository, at, query, self, params } = call;
    const sha = await resolve(repository.gitDir, params.ref ?? '');
    if (sha === undefined) return { status: 404, body: errorBody(404, 'Not Found') };
    const all = statusesOf(repository, sha);
    const { items, headers } = pageOf(all, query, self);
    return { status: 200, body: combinedShape(sha, all, items, repository, at), headers };
  }),

  repositoryRoute('get', '/repos/{owner}/{repo}/check-runs/{check_run_id}', { checks: 'read' })(
    ({ repository, at, params }) => {
      const run = repository.runs.get(Number(params.check_run_id));
      if (run === undefined) throw notFound();
      return { status: 200, body: checkRunShape(run, repository, at) };
    },
  ),

  repositoryRoute('get', '/repos/{owner}/{repo}/actions/jobs/{job_id}/logs', { actions: 'read' })(
    ({ state, repository, at, params }) => {
      // A job of GitHub Actions has the id of its check run.
      const run = repository.runs.get(Number(params.job_id));
      if (run?.suite.reporter.id !== ACTIONS.id || run.status !== 'completed') throw notFound();
      // GitHub keeps logs for 90 days or less.
      if (run.log === undefined) throw new Refusal(410, 'Server Error');
      return {
        status: 302,
        body: undefined as never,
        headers: { location: logLink(state, at, run) },
      };
    },
  ),
];

async function commitOf({ repository, params }: InRepository): Promise<string> {
  const sha = await resolve(repository.gitDir, params.ref ?? '');
  if (sha === undefined) throw new Refusal(422, `No commit found for SHA: ${params.ref}`);
  return sha;
}
