/** What people are told of, and the words of it, before the title of the task. */
const KIND_WORDS = {
  'task.plan_waiting': 'A plan waits for approval',
  'task.question_asked': 'The agent asks a question',
  'task.permission_asked': 'The agent asks for a permission',
  'task.ready': 'Ready',
  'task.failed': 'Failed',
  'task.paused': 'Paused',
  'task.checks_failed': 'Checks have failed',
  'task.merged': 'Merged',
  'deploy.failed': 'The deploy has failed',
  'comment.mentioned': 'You were mentioned',
} as const;

type Kind = keyof typeof KIND_WORDS;

export const KINDS = Object.keys(KIND_WORDS) as Kind[];

/** Why a task is paused, as the end of a sentence. */
const PAUSED: Record<string, string> = {
  insufficient_funds: 'the balance is used up',
  account_not_active: 'the billing account is not active',
  spend_cap: 'it has reached its spending cap',
  spend_limit: 'a spend limit is reached',
  pod_lost: 'its pod was lost',
  drain: 'its worker is being replaced',
};

/** `A plan waits for approval`, `Paused: the balance is used up`. */
export function wordsOf(type: string, reason?: string): string {
  const words = KIND_WORDS[type as Kind] ?? 'Something has happened';
  const why = reason === undefined ? undefined : PAUSED[reason];
  return why === undefined ? words : `${words}: ${why}`;
}
