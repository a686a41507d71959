import type { GitHub } from '../github/app.ts';
import type { Merging } from '../repositories/merging.ts';

/** What the operations of pull requests need. */
export interface PullRequestDeps {
  /** The repositories of this server. */
  merging: Merging;
  /** If a GitHub App is set up. */
  github: GitHub | undefined;
  publicUrl: string;
}
