import type { HostedRepository } from '../../access/hosted-repository.ts';
import { GITEA_KINDS, giteaErrors, giteaNotConnected } from '../gitea/errors.ts';
import {
  GITHUB_KINDS,
  githubErrors,
  githubNotConfigured,
  githubNotConnected,
  githubUnavailable,
} from '../github/errors.ts';
import type { CodeHost, CodeHosts } from './code-host.ts';
import { HostError } from './host-error.ts';

/** Every error of an operation that asks the host of a repository. */
export const hostErrors = [githubNotConnected, ...githubErrors, giteaNotConnected, ...giteaErrors];

/**
 * The host of a repository, which the owner of its project may use. Errors: 409
 * github_not_configured, github_not_connected, gitea_not_connected.
 */
export function requireHost(
  hosts: CodeHosts,
  repository: Pick<HostedRepository, 'host'> & { connected: boolean | null },
): CodeHost {
  const host = hosts.of(repository);
  if (host === undefined) throw githubNotConfigured();
  if (!repository.connected)
    throw repository.host === 'gitea' ? giteaNotConnected() : githubNotConnected();
  return host;
}

/** Runs what asks a host for a caller: its errors become those of the API. */
export async function asking<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof HostError ? shown(error) : error;
  }
}

function shown({ code, permission, said, until }: HostError): Error {
  const kind = GITHUB_KINDS[code] ?? GITEA_KINDS[code] ?? githubUnavailable;
  const seconds = until && Math.max(1, Math.ceil((until.getTime() - Date.now()) / 1000));
  return kind(
    {
      ...(permission !== undefined && { permission }),
      ...(code === 'gitea_refused' && said !== undefined && { said }),
    },
    seconds === undefined ? {} : { 'retry-after': String(seconds) },
  );
}
