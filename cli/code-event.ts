/** The payloads of the events about the code of a task. */
interface CodeEvents {
  pull_request: {
    number: number;
    state: string;
    base: string;
    head_sha?: string;
    mergeable?: boolean;
  };
  checks: { head_sha: string; state: string };
  check: { name: string; head_sha: string; state: string; conclusion?: string };
  fix_checks: { head_sha: string; message_number: number };
  merge: {
    state: string;
    branch: string;
    stage: string;
    head_sha: string;
    merge_commit_sha?: string;
    failure?: { message: string };
  };
  deploy: { state: string; branch: string; stage: string; commit_sha: string; reason?: string };
}

const short = (sha: string | undefined): string =>
  sha === undefined ? '' : ` ${sha.slice(0, 12)}`;

const MERGEABLE = { true: ', can be merged', false: ', cannot be merged', undefined: '' };

const SENTENCES: { [Type in keyof CodeEvents]: (event: CodeEvents[Type]) => string } = {
  pull_request: ({ number, state, base, head_sha, mergeable }) =>
    `#${number} ${state}: commit${short(head_sha)} into ${base}${MERGEABLE[`${mergeable}`]}`,
  checks: ({ head_sha, state }) => `${state}, of commit${short(head_sha)}`,
  check: ({ name, head_sha, state, conclusion }) =>
    `${name}: ${conclusion ?? state}, of commit${short(head_sha)}`,
  fix_checks: ({ head_sha, message_number }) =>
    `message ${message_number} asks the agent to fix those of commit${short(head_sha)}`,
  merge: ({ state, branch, stage, head_sha, merge_commit_sha, failure }) =>
    `${state}: commit${short(head_sha)} into ${branch} (${stage})` +
    (merge_commit_sha === undefined ? '' : ` as${short(merge_commit_sha)}`) +
    (failure === undefined ? '' : `: ${failure.message}`),
  deploy: ({ state, branch, stage, commit_sha, reason }) =>
    `${state}: commit${short(commit_sha)} of ${branch} (${stage})` +
    (reason === undefined ? '' : `: ${reason}`),
};

/** An event about the code of a task as a sentence; undefined for any other. */
export const codeSentence = (type: string, payload: string): string | undefined =>
  Object.hasOwn(SENTENCES, type)
    ? SENTENCES[type as keyof CodeEvents](JSON.parse(payload))
    : undefined;
