/** As the column `pull_request.state` stores them. */
export const PULL_REQUEST_STATES = ['open', 'merged', 'closed'] as const;
