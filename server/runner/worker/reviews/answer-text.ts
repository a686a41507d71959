/** The turn of a message that came from another host, as it has ended. */
export interface EndedTurn {
  taskId: string;
  projectId: string;
  /** Whom it answers. */
  login: string;
  kind: 'plan' | 'build' | 'prompt';
  state: 'done' | 'failed' | 'cancelled';
  /** What the agent said at the end; null for nothing. */
  text: string | null;
}

/** Characters of a comment that the agent says. */
const LONGEST = 8_000;

/** The comment on the pull request, in Markdown. It mentions only the one whom it answers. */
export function answerText(
  { taskId, projectId, login, kind, state, text }: EndedTurn,
  publicUrl: string,
): string {
  const link = `${publicUrl}/projects/${projectId}/tasks/${taskId}`;
  const said = quiet((text ?? '').trim());
  const cut = said.length > LONGEST ? `${said.slice(0, LONGEST).toWellFormed()}…` : said;
  const whole = cut === said ? '' : ' Here is the beginning.';
  const begin = `@${login} ${beginning(kind, state)}${whole} [The task](${link})`;
  return state === 'done' && cut !== '' ? `${begin}\n\n${closed(cut)}` : begin;
}

function beginning(kind: EndedTurn['kind'], state: EndedTurn['state']): string {
  if (state === 'failed') return 'This could not be done: the task says why.';
  if (state === 'cancelled') return 'Someone has cancelled this.';
  return kind === 'plan'
    ? 'This is the plan. Nothing is changed until someone approves it in the task.'
    : 'This is done.';
}

/** Names that the agent writes are no mentions. Code stays as it is: it has none. */
const quiet = (text: string): string =>
  text.replaceAll(/(```[\s\S]*?(?:```|$)|`[^`\n]*`)|@(?=[\w-])/g, (_, code) => code ?? '@&#8203;');

/** A fence that the cut has left open. */
const closed = (text: string): string =>
  (text.match(/^ {0,3}```/gm) ?? []).length % 2 === 0 ? text : `${text}\n\`\`\``;
