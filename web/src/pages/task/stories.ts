import type { TaskEvent } from '../../data/task-events.ts';

/**
 * A pull request, the checks of a commit, or a merge with its deploys: one line that says how it is
 * now; opened, how it came to that.
 */
export interface Story {
  about: 'pull request' | 'checks' | 'merge';
  state: 'running' | 'done' | 'failed';
  /** The id of the person whom the sentence begins with. */
  by?: string;
  said: string;
  /** What follows the sentence, by what it is about, such as each deploy of a merge. */
  more: Readonly<Record<string, string>>;
  /** What was said before, oldest first. */
  before: readonly string[];
}

/** The whole line, without its person. */
export const lineOf = ({ said, more }: Story): string => [said, ...Object.values(more)].join('. ');

interface Payload {
  number?: number;
  base?: string;
  state?: string;
  head_sha?: string;
  opened_by_user_id?: string;
  requested_by_user_id?: string;
  name?: string;
  conclusion?: string;
  merge_id?: string;
  branch?: string;
  stage?: string;
  failure?: { message: string };
  deploy_id?: string;
  reason?: string;
}

/** What an event of code says of a story. */
interface Part {
  id: string;
  story: Partial<Story> & Pick<Story, 'about'>;
}

const TELLERS: Record<string, (payload: Payload, merge: string | undefined) => Part | undefined> = {
  pull_request: ({ number, base, state, opened_by_user_id: by }) => ({
    id: `pull request ${number}`,
    story: {
      about: 'pull request',
      state: 'done',
      ...(by !== undefined && { by }),
      said:
        by === undefined
          ? `Pull request #${number} into ${base}`
          : `opened pull request #${number} into ${base}`,
      ...(state !== 'open' && { more: { state: `It is ${state}` } }),
    },
  }),
  checks: ({ head_sha, state }) =>
    state === 'none'
      ? undefined
      : {
          id: `checks ${head_sha}`,
          story: { about: 'checks', state: stateOf(state), said: `Checks: ${state}` },
        },
  check: ({ head_sha, name = '', conclusion }) =>
    conclusion === undefined
      ? undefined
      : {
          id: `checks ${head_sha}`,
          story: {
            about: 'checks',
            // Those that have passed are among what was said before.
            more: stateOf(conclusion) === 'failed' ? { [name]: ofCheck(name, conclusion) } : {},
            before: [ofCheck(name, conclusion)],
          },
        },
  fix_checks: ({ head_sha }) => ({
    id: `checks ${head_sha}`,
    story: { about: 'checks', more: { fix: 'The agent is asked to fix them' } },
  }),
  merge: ({ merge_id, state, branch, failure, requested_by_user_id: by }) => ({
    id: `merge ${merge_id}`,
    story: {
      about: 'merge',
      state: state === 'queued' ? 'running' : stateOf(state),
      ...(by !== undefined && { by }),
      said:
        by === undefined ? `Merge into ${branch}: ${state}` : `${MERGES[state ?? '']} ${branch}`,
      ...(failure && { more: { failure: failure.message } }),
    },
  }),
  deploy: ({ deploy_id, state, stage, reason }, merge) => {
    const how = `Deploy to ${stage}: ${state}${reason ? `, ${reason}` : ''}`;
    return {
      id: merge ?? `deploy ${deploy_id}`,
      story: {
        about: 'merge',
        state: stateOf(state),
        ...(merge === undefined ? { said: how } : { more: { [`${deploy_id}`]: how } }),
      },
    };
  },
};

const MERGES: Record<string, string> = {
  queued: 'asked to merge into',
  merged: 'merged into',
  failed: 'could not merge into',
};

const ofCheck = (name: string, conclusion: string) =>
  `Check ${name}: ${conclusion.replaceAll('_', ' ')}`;

const RUNNING = new Set(['queued', 'pending', 'running', 'in_progress']);

function stateOf(word = ''): Story['state'] {
  if (RUNNING.has(word)) return 'running';
  return /^(fail|error|timed_out|cancel|action_required)/.test(word) ? 'failed' : 'done';
}

/**
 * The story that an event goes on with, or begins. `find` knows the stories so far, by their ids;
 * `merge` is the id of the last merge, which its deploys belong to.
 */
export function tellStory(
  event: TaskEvent,
  find: (id: string) => Story | undefined,
  merge: string | undefined,
): { id: string; story: Story } | undefined {
  const part = TELLERS[event.type]?.((event.payload ?? {}) as Payload, merge);
  if (part === undefined) return undefined;
  const { id, story } = part;
  const known = find(id);
  if (known === undefined)
    return { id, story: { state: 'running', said: 'Checks', more: {}, before: [], ...story } };
  const next: Story = {
    ...known,
    ...story,
    more: { ...known.more, ...story.more },
    before: [...known.before, ...(story.before ?? [])],
  };
  const line = lineOf(known);
  return { id, story: lineOf(next) === line ? next : { ...next, before: [...next.before, line] } };
}
