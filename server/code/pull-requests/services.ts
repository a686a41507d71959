import type { GitHub } from '../github/app.ts';
import type { Merging } from '../repositories/merging.ts';

/** What the operations of pull requests are given. */
export interface PullRequestServices {
  merging: Merging;
  github: GitHub | undefined;
  publicUrl: string;
}
