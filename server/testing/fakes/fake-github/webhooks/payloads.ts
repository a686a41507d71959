import type { Schema } from '../typed.ts';

export interface GithubEvent {
  /** The header `X-GitHub-Delivery`. */
  id: string;
  /** The header `X-GitHub-Event`. */
  type: EventName;
  payload: Promise<Payloads[EventName]>;
}

/** Each kind of event, with its payloads as GitHub describes them. */
export interface Payloads {
  installation:
    | Schema<'webhook-installation-created'>
    | Schema<'webhook-installation-deleted'>
    | Schema<'webhook-installation-new-permissions-accepted'>
    | Schema<'webhook-installation-suspend'>
    | Schema<'webhook-installation-unsuspend'>;
  installation_repositories:
    | Schema<'webhook-installation-repositories-added'>
    | Schema<'webhook-installation-repositories-removed'>;
  repository:
    | Schema<'webhook-repository-archived'>
    | Schema<'webhook-repository-deleted'>
    | Schema<'webhook-repository-renamed'>
    | Schema<'webhook-repository-transferred'>;
  pull_request:
    | Schema<'webhook-pull-request-opened'>
    | Schema<'webhook-pull-request-closed'>
    | Schema<'webhook-pull-request-reopened'>
    | Schema<'webhook-pull-request-edited'>
    | Schema<'webhook-pull-request-synchronize'>;
  pull_request_review: ReviewPayload;
  pull_request_review_comment: ReviewCommentPayload;
  issue_comment: CommentPayload;
  issues: IssuePayload;
  push: Schema<'webhook-push'>;
  check_run: Schema<'webhook-check-run-created'> | Schema<'webhook-check-run-completed'>;
  check_suite: Schema<'webhook-check-suite-completed'>;
  status: Schema<'webhook-status'>;
  deployment: Schema<'webhook-deployment-created'>;
  deployment_status: Schema<'webhook-deployment-status-created'>;
}

export type EventName = keyof Payloads;

type Briefly<Name extends 'webhook-pull-request-review-submitted'> = Pick<
  Schema<Name>['pull_request'],
  'id' | 'node_id' | 'number' | 'title'
>;

/** Without most of what GitHub repeats of the pull request, as the two below. */
interface ReviewPayload
  extends Pick<
    Schema<'webhook-pull-request-review-submitted'>,
    'action' | 'installation' | 'repository' | 'sender'
  > {
  pull_request: Briefly<'webhook-pull-request-review-submitted'>;
  review: Schema<'pull-request-review'>;
}

interface ReviewCommentPayload
  extends Pick<
    Schema<'webhook-pull-request-review-comment-created'>,
    'action' | 'installation' | 'repository' | 'sender'
  > {
  pull_request: Briefly<'webhook-pull-request-review-submitted'>;
  comment: Schema<'review-comment'>;
}

/** Of an issue that gets a label. */
interface IssuePayload
  extends Pick<Schema<'webhook-issues-labeled'>, 'installation' | 'repository' | 'sender'> {
  action: 'labeled';
  issue: Pick<Schema<'webhook-issues-labeled'>['issue'], 'number' | 'title'>;
  label: { name: string };
}

export interface CommentPayload
  extends Pick<Schema<'webhook-issue-comment-created'>, 'installation' | 'repository' | 'sender'> {
  action: 'created' | 'edited' | 'deleted';
  issue: Pick<
    Schema<'webhook-issue-comment-created'>['issue'],
    'number' | 'title' | 'pull_request'
  >;
  comment: Schema<'issue-comment'>;
}
