/** The commit that `giveCommits` puts on a branch: its author and date are fixed, so its id is too. */
export const TASK_COMMIT = '8098d1895c045b0d672c07a79b3f857a8381ff12';
