import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parser } from '@prometheus-io/lezer-promql';
import { measureMoney } from '../server/billing/metrics.ts';
import { measureGitHub, measureGitHubWork } from '../server/code/github/metrics.ts';
import { routerPath } from '../server/http/request-pipeline.ts';
import { measureReadiness } from '../server/main/serve-tasks.ts';
import { measureMail } from '../server/platform/mail/metrics.ts';
import { measureWebhooks } from '../server/platform/webhooks/metrics.ts';
import { measureCode, measureCodeWork } from '../server/runner/worker/code-metrics.ts';
import {
  measureConcurrency,
  measureTasks,
  measureWorker,
} from '../server/runner/worker/metrics.ts';
import { measureDisk } from '../server/telemetry/disk.ts';
import { measureProcess } from '../server/telemetry/metrics.ts';
import { startHarness } from '../server/testing/harness/harness.ts';
import { type Anything, documents, read } from './files.ts';

/**
 * Every expression of the alert rules and of the dashboard, against the metrics of a real registry.
 */

const { db, metrics, routes } = await startHarness({ own: true });
measureProcess(metrics);
measureMoney(metrics, db, [60_000]);
measureMail(metrics, db);
measureWebhooks(metrics, db);
measureTasks(metrics, db);
measureCode(metrics, db);
measureCodeWork(metrics);
measureGitHub(metrics);
measureGitHubWork(metrics, db);
measureWorker(metrics);
measureConcurrency(metrics, { concurrency: 1, running: () => 0 });
measureDisk(metrics, {});
measureReadiness(metrics);

/** Prometheus adds these to each series, and `up` for each target. */
const OF_THE_SCRAPE = ['job', 'instance'];
const labelsOf = new Map<string, Set<string>>([['up', new Set(OF_THE_SCRAPE)]]);
for (const { name, type } of await metrics.getMetricsAsJSON()) {
  const { labelNames } = metrics.getSingleMetric(name) as unknown as { labelNames: string[] };
  const labels = [...labelNames, ...OF_THE_SCRAPE];
  const histogram = String(type) === 'histogram';
  for (const suffix of histogram ? ['_count', '_sum'] : [''])
    labelsOf.set(name + suffix, new Set(labels));
  if (histogram) labelsOf.set(`${name}_bucket`, new Set([...labels, 'le']));
}

const rules: Anything[] = documents('docs/operations/alerts.yaml')[0].groups.flatMap(
  (group: Anything) => group.rules,
);
const dashboard = JSON.parse(read('docs/operations/dashboard.json'));
const panels: Anything[] = dashboard.panels.filter(({ type }: Anything) => type !== 'row');

const expressions: [string, string][] = [
  ...rules.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }: Anything) => [title, expr.replaceAll('$__rate_interval', '1m')]),
  ),
];

/** The values of `state` by metric. */
const STATES: Record<string, string[]> = {
  guildhall_database_connections: ['used', 'idle', 'waiting'],
  guildhall_task_turns: ['queued', 'interrupted', 'running', 'waiting'],
  guildhall_code_work: ['queued', 'running'],
};

interface Selector {
  metric: string;
  matchers: { label: string; operator: string; value: string }[];
}

/** The selectors and groupings of an expression. Throws if it is not PromQL. */
function parse(expression: string): { selectors: Selector[]; groupings: string[] } {
  const selectors: Selector[] = [];
  const groupings: string[] = [];
  parser.parse(expression).iterate({
    enter: ({ name, from, to, node, type }) => {
      if (type.isError) throw new Error(`no PromQL at ${from}: ${expression}`);
      const text = expression.slice(from, to);
      if (name === 'VectorSelector') selectors.push({ metric: '', matchers: [] });
      if (name === 'Identifier') (selectors.at(-1) as Selector).metric = text;
      if (name === 'LabelName' && node.parent?.name === 'GroupingLabels') groupings.push(text);
      if (name === 'UnquotedLabelMatcher') {
        const [, label = '', operator = '', value = ''] =
          /^(\w+)\s*(=~|!~|!=|=)\s*"(.*)"$/.exec(text) ?? [];
        selectors.at(-1)?.matchers.push({ label, operator, value });
      }
    },
  });
  return { selectors, groupings };
}

test('a wrong expression is found', () => {
  assert.throws(() => parse('sum(rate(guildhall_top_ups[5m])'), /no PromQL/);
  assert.throws(() => parse('max by (a guildhall_top_ups'), /no PromQL/);
  assert.deepEqual(parse('sum by (le) (a{job="x", b!~"y"})').selectors, [
    {
      metric: 'a',
      matchers: [
        { label: 'job', operator: '=', value: 'x' },
        { label: 'b', operator: '!~', value: 'y' },
      ],
    },
  ]);
});

for (const [what, expression] of expressions) {
  test(`${what}: ${expression.replaceAll(/\s+/g, ' ')}`, () => {
    const { selectors, groupings } = parse(expression);
    assert.ok(selectors.length > 0);
    for (const { metric, matchers } of selectors) {
      const labels = labelsOf.get(metric);
      assert.ok(labels, `nothing tells ${metric}`);
      for (const label of [...groupings, ...matchers.map((matcher) => matcher.label)])
        assert.ok(labels.has(label), `${metric} has no ${label}`);
      for (const { label, value } of matchers) {
        const states = STATES[metric];
        if (label === 'state') assert.ok(states?.includes(value), `${metric}: ${value}`);
        const fits = (path: string) => new RegExp(`^(?:${value})$`).test(path);
        if (label === 'route')
          assert.ok(routes.map(({ path }) => routerPath(path)).some(fits), value);
      }
      // Other programs have metrics of these names too.
      if (/^(nodejs|process)_|^up$/.test(metric))
        assert.ok(
          matchers.some(({ label }) => label === 'job'),
          `${metric} of which job?`,
        );
    }
  });
}

test('each alert has a summary, a severity, and a paragraph that says what to do', () => {
  const headings = [...read('docs/operations/incidents.md').matchAll(/^#+ (Guildhall\w+)$/gm)].map(
    ([, name]) => name,
  );
  assert.deepEqual(headings.toSorted(), rules.map(({ alert }) => alert).toSorted());
  for (const { alert, labels, annotations } of rules) {
    assert.ok(annotations.summary, alert);
    assert.match(labels.severity, /^(page|ticket)$/, alert);
    assert.equal(annotations.runbook, `docs/operations/incidents.md#${alert.toLowerCase()}`);
  }
});

test('the dashboard shows requests, latency, pool, event loop, memory, top-ups, outbox, tasks, events and code hosts, each panel once', () => {
  const asked = new Set(
    panels
      .flatMap(({ targets }) =>
        targets.flatMap(
          ({ expr }: Anything) => parse(expr.replaceAll('$__rate_interval', '1m')).selectors,
        ),
      )
      .map(({ metric }) => metric),
  );
  for (const metric of [
    'guildhall_http_request_duration_seconds_bucket',
    'guildhall_http_request_duration_seconds_count',
    'guildhall_database_connections',
    'nodejs_eventloop_lag_p99_seconds',
    'process_resident_memory_bytes',
    'guildhall_top_ups_open',
    'guildhall_outbox_open',
    'guildhall_task_turns',
    'guildhall_task_turn_oldest_due_seconds',
    'guildhall_pods',
    'guildhall_event_streams',
    'guildhall_event_delivery_duration_seconds_bucket',
    'guildhall_code_work',
    'guildhall_code_work_oldest_due_seconds',
    'guildhall_github_calls_total',
    'guildhall_github_look_oldest_seconds',
  ])
    assert.ok(asked.has(metric), metric);
  const ids = dashboard.panels.map(({ id }: Anything) => id);
  assert.deepEqual(ids, [...new Set(ids)]);
  for (const { datasource, targets } of panels) {
    assert.equal(datasource.uid, '$' + '{datasource}');
    for (const { expr } of targets) assert.ok(expr.includes('job=~"$job"'), expr);
  }
});

test('every metric in docs/operations.md is served, and every metric served is listed', () => {
  const [, table = ''] = /\n## Metrics\n([\s\S]*?)\n## /.exec(read('docs/operations.md')) ?? [];
  const listed = new Set(
    [...table.matchAll(/`(guildhall_\w+)`/g)].map(([, name]) => name as string),
  );
  const told = [...labelsOf.keys()]
    .filter((name) => name.startsWith('guildhall_'))
    .map((name) => name.replace(/(duration_seconds|batch_events)_(count|sum|bucket)$/, '$1'));
  assert.deepEqual([...listed].toSorted(), [...new Set(told)].toSorted());
});
