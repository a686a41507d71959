import type { CodeHosts } from '../hosts/code-host.ts';
import type { Merging } from '../repositories/merging.ts';

/** What the operations of pull requests are given. */
export interface PullRequestServices {
  merging: Merging;
  /** Where code is that is not on this server. */
  hosts: CodeHosts;
  publicUrl: string;
}
