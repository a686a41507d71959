import { pageOf } from '../pages.ts';
import { errorBody } from '../refusals.ts';
import { repositoryRoute } from '../router.ts';
import { deploymentShape, deploymentStatusShape } from '../shapes/deployments.ts';

const DEPLOYMENTS = '/repos/{owner}/{repo}/deployments';
const DEPLOYMENT = `${DEPLOYMENTS}/{deployment_id}` as const;

/** Deployments and their statuses: the newest first. */
export const DEPLOYMENT_ROUTES = [
  repositoryRoute('get', DEPLOYMENTS, { deployments: 'read' })((call) => {
    const { state, repository, at, query, self } = call;
    const wanted = (name: string, value: string) => (query.get(name) ?? value) === value;
    const all = [...repository.deployments.values()]
      .filter(
        ({ sha, ref, environment }) =>
          wanted('sha', sha) &&
          wanted('ref', ref) &&
          wanted('environment', environment) &&
          wanted('task', 'deploy'),
      )
      .reverse();
    const { items, headers } = pageOf(all, query, self);
    const body = items.map((each) => deploymentShape(each, state.person, repository, at));
    return { status: 200, body, headers };
  }),

  repositoryRoute('get', DEPLOYMENT, { deployments: 'read' })((call) => {
    const { state, repository, at, params } = call;
    const found = repository.deployments.get(Number(params.deployment_id));
    if (found === undefined) return { status: 404, body: errorBody(404, 'Not Found') };
    return { status: 200, body: deploymentShape(found, state.person, repository, at) };
  }),

  repositoryRoute('get', `${DEPLOYMENT}/statuses`, { deployments: 'read' })((call) => {
    const { state, repository, at, params, query, self } = call;
    const found = repository.deployments.get(Number(params.deployment_id));
    if (found === undefined) return { status: 404, body: errorBody(404, 'Not Found') };
    const { items, headers } = pageOf(found.statuses.toReversed(), query, self);
    const body = items.map((each) =>
      deploymentStatusShape(each, found, state.person, repository, at),
    );
    return { status: 200, body, headers };
  }),
];
