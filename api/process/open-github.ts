import type { Registry } from 'prom-client';
import type { Config } from '../config.ts';
import type { Database } from '../db/database/database.ts';
import type { GitHub } from '../github/app.ts';
import { measureGitHub } from '../github/metrics.ts';
import { storedLimits } from '../github/stored-limits.ts';

/** GitHub, if an App is set up; its limits are those of all processes of the database.
 * `registry` counts the calls. */
export async function openGitHubOf(
  { github }: Pick<Config, 'github'>,
  db: Database,
  registry: Registry | undefined,
): Promise<GitHub | undefined> {
  if (github === undefined) return undefined;
  // Loaded only when it is used.
  const { openGitHub } = await import('../github/app.ts');
  return openGitHub(github, {
    limits: storedLimits(db),
    observer: registry && measureGitHub(registry),
  });
}
