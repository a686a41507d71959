import type { GitHub } from '../github/app.ts';
import { githubHost } from '../github/code-host.ts';
import type { CodeHost, CodeHosts } from './code-host.ts';

/** Opens the hosts that are set up; asks nothing yet. */
export function openHosts({
  github,
  gitea,
}: {
  github?: GitHub | undefined;
  gitea?: CodeHost | undefined;
}): CodeHosts {
  const known = { local: undefined, github: github && githubHost(github), gitea };
  return { of: ({ host }) => known[host] };
}
