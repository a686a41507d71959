import { Counter, Gauge, type Registry } from 'prom-client';
import { isConnected } from '../../access/hosted-repository.ts';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { sharedGauges } from '../../telemetry/metrics.ts';

/** What the metrics of GitHub count. */
export interface GitHubObserver {
  /** A call has ended: `done`, or the code of its HostError. */
  onCall(result: string): void;
  /** What GitHub said is left of the limit of an installation; 0 is the App itself. */
  onRemaining(installationId: number, requests: number): void;
  onDelivery(result: 'received' | 'repeated' | 'refused'): void;
}

const made = new WeakMap<Registry, GitHubObserver>();

/** Adds what a process counts of GitHub to a registry, once: a process may open it several times. */
export function measureGitHub(registry: Registry): GitHubObserver {
  const known = made.get(registry);
  if (known !== undefined) return known;
  const registers = [registry];
  const labelNames = ['result'];
  const calls = new Counter({
    name: 'guildhall_github_calls_total',
    help: 'Calls of this process to GitHub, by result',
    labelNames,
    registers,
  });
  const deliveries = new Counter({
    name: 'guildhall_github_deliveries_total',
    help: 'Deliveries of GitHub that this process has answered, by result',
    labelNames,
    registers,
  });
  const remaining = new Gauge({
    name: 'guildhall_github_limit_remaining',
    help: 'Requests that GitHub said are left until its limit, by installation; 0 is the App itself',
    labelNames: ['installation'],
    registers,
    aggregator: 'min',
  });
  for (const result of ['done', 'github_unavailable', 'github_rate_limited'])
    calls.inc({ result }, 0);
  for (const result of ['received', 'repeated', 'refused']) deliveries.inc({ result }, 0);
  const observer: GitHubObserver = {
    onCall: (result) => calls.inc({ result }),
    onRemaining: (installation, requests) =>
      remaining.set({ installation: String(installation) }, requests),
    onDelivery: (result) => deliveries.inc({ result }),
  };
  made.set(registry, observer);
  return observer;
}

/**
 * Adds what all processes have to do for GitHub to a registry. It is queried at each scrape, and
 * left out while the database cannot be reached. All ages are in seconds, and 0 if there is none.
 */
export function measureGitHubWork(registry: Registry, db: Pick<Database, 'one'>): void {
  const shared = sharedGauges(registry, () => readFigures(db));
  const gauge = (name: keyof Figures, help: string) =>
    shared(`github_${name}`, help, [], (each, now) => each.set(now[name]));
  gauge('deliveries_open', 'Deliveries of GitHub that were not processed yet');
  gauge('delivery_oldest_open_seconds', 'Age of the oldest of them');
  gauge('limited_installations', 'Installations that GitHub does not let this server ask for now');
  gauge(
    'look_oldest_seconds',
    'For how long GitHub was not asked about an open pull request or a repository, at most',
  );
}

interface Figures {
  deliveries_open: number;
  delivery_oldest_open_seconds: number;
  limited_installations: number;
  look_oldest_seconds: number;
}

const readFigures = (db: Pick<Database, 'one'>): Promise<Figures> =>
  db.one<Figures>(sql`
    select open.*, limited.*, looks.*
      from (select count(*)::int as deliveries_open,
                   coalesce(extract(epoch from now() - min(received_at)), 0)::float8
                     as delivery_oldest_open_seconds
              from github_delivery where done_at is null) open,
           (select count(*)::int as limited_installations
              from github_rate_limit where until > now()) limited,
           (select coalesce(extract(epoch from now() - min(looked_at)), 0)::float8
                     as look_oldest_seconds
              from (select pr.looked_at
                      from pull_request pr
                      join repository r on r.id = pr.repository_id
                      join project p on p.id = r.project_id
                     where pr.url is not null and pr.state = 'open' and ${isConnected}
                       and r.unavailable_reason is null
                    union all
                    select looked_at from repository
                     where host = 'github' and looked_at <> '-infinity') each) looks`);
