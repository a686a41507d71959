import { pageOf } from '../pages.ts';
import { errorBody } from '../refusals.ts';
import { repositoryRoute } from '../router.ts';
import { issueShape, labelledShape } from '../shapes/issues.ts';

const ISSUE = '/repos/{owner}/{repo}/issues/{issue_number}';

/** Issues, and who gave them which label. */
export const ISSUE_ROUTES = [
  repositoryRoute('get', ISSUE, { issues: 'read' })(({ repository, at, params }) => {
    const issue = repository.issues.get(Number(params.issue_number));
    if (issue === undefined) return { status: 404, body: errorBody(404, 'Not Found') };
    return { status: 200, body: issueShape(issue, repository, at) };
  }),

  repositoryRoute('get', `${ISSUE}/events`, { issues: 'read' })((call) => {
    const { repository, at, query, self, params } = call;
    const all = repository.issues.get(Number(params.issue_number))?.labelled ?? [];
    const { items, headers } = pageOf(all, query, self);
    const body = items.map((each) => labelledShape(each, repository, at));
    return { status: 200, body, headers };
  }),
];
