import type { Registry } from 'prom-client';
import type { GitHub } from '../code/github/app.ts';
import { measureGitHub } from '../code/github/metrics.ts';
import { storedLimits } from '../code/github/stored-limits.ts';
import type { Database } from '../db/database/database.ts';
import type { Config } from '../platform/config/config.ts';

/** GitHub, if an App is set up; its limits are those of all processes of the database.
 * `registry` counts the calls. */
export async function openGitHubOf(
  { github }: Pick<Config, 'github'>,
  db: Database,
  registry: Registry | undefined,
): Promise<GitHub | undefined> {
  if (github === undefined) return undefined;
  // Loaded only when it is used.
  const { openGitHub } = await import('../code/github/app.ts');
  return openGitHub(github, {
    limits: storedLimits(db),
    observer: registry && measureGitHub(registry),
  });
}
