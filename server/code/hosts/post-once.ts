import type { HostReviews, NumberedPull } from './reviews.ts';

const CLOCKS_DIFFER_MS = 600_000;

interface NewComment {
  /** Names the comment, so that it is found again. */
  id: string;
  /** It is not older. */
  since: Date;
  text: string;
}

/**
 * Writes a comment into the conversation of a pull request, unless an attempt that did not live to
 * record it has done so. Throws a HostError.
 */
export async function postOnce(
  reviews: HostReviews,
  pull: NumberedPull,
  { id, since, text }: NewComment,
): Promise<void> {
  const mark = `<!-- guildhall-review:${id} -->`;
  // The clock of the host may be behind.
  const early = new Date(since.getTime() - CLOCKS_DIFFER_MS);
  if (await reviews.hasPosted(pull, mark, early)) return;
  await reviews.post(pull, `${text}\n\n${mark}`);
}
