import { randomUUID } from 'node:crypto';
import { connectedAccount } from '../fixtures/code/github.ts';
import type { Harness } from '../harness/harness.ts';

/** An installation that a workspace and a person may use, and its repository. */
export async function onGithub(
  github: NonNullable<Harness['github']>,
  db: Harness['db'],
  owners: { organizationId: string; userId: string },
): Promise<Record<string, string>> {
  const { installationId, repositoryId } = await connectedAccount(github, db, owners);
  return { installation_id: String(installationId), github_repository_id: String(repositoryId) };
}

/**
 * The ids that GitHub gave, which are numbers. They can be guessed, so what belongs to another
 * tenant does not exist (decision 43).
 */
export const GITHUB_IDS = ['installation_id', 'github_repository_id'];

/** An id that nothing has, for this parameter of a path. */
export const unknownId = (name: string): string =>
  GITHUB_IDS.includes(name)
    ? '999999999999'
    : name === 'payment_method_id'
      ? `pm_${'x'.repeat(24)}`
      : randomUUID();
