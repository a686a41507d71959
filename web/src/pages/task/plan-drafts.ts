import type { Lines } from '../../ui/markdown/tree.ts';

/** The name of a comment on these lines of a plan among the drafts of a task. */
export const fieldOf = (version: number, lines: Lines): string =>
  `plan ${version} ${lines.join('-')}`;
