import type { Registry } from 'prom-client';
import { measureGitHubWork } from '../code/github/metrics.ts';
import type { Database } from '../db/database/database.ts';
import type { Config } from '../platform/config/config.ts';
import { podsPlace } from '../platform/pods/process/pods-place.ts';
import { measureCode } from '../runner/worker/code-metrics.ts';
import { measureTasks } from '../runner/worker/metrics.ts';
import { measureDisk } from '../telemetry/disk.ts';
import { measureProcess, openMetrics } from '../telemetry/metrics.ts';

/** What every process counts, whatever it does; undefined while metrics are off. */
export function openProcessMetrics(
  { metrics, dataDir, files, github, pods, repositories }: Config,
  db: Database,
): Registry | undefined {
  if (metrics.port === undefined) return undefined;
  const registry = openMetrics(db);
  measureProcess(registry);
  measureTasks(registry, db);
  measureCode(registry, db);
  if (github !== undefined) measureGitHubWork(registry, db);
  measureDisk(registry, {
    data: dataDir,
    pods: () => podsPlace(pods.folder),
    repositories,
    ...(files.s3 === undefined ? { files: files.folder } : {}),
  });
  return registry;
}
