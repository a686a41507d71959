import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STREAM_LIMITS } from '../server/http/event-stream.ts';
import { SETTINGS } from '../server/platform/config/settings.ts';
import { ARTIFACT_BYTES, ATTACHMENT_BYTES } from '../server/platform/files/limits.ts';
import { DEFAULT_LIMITS, inBytes } from '../server/platform/pods/limits.ts';
import { MOST_UNANSWERED } from '../server/runner/agents/transport.ts';
import { MOST_PENDING, TURN_EVENT_BYTES, TURN_EVENTS } from '../server/runner/worker/chunks.ts';
import { MAX_LOSSES } from '../server/runner/worker/run-turn.ts';
import { STOP_WITHIN_MS } from '../server/runner/worker/runner.ts';
import { MOST_THERE, TIMES } from '../server/runner/worker/worker.ts';
import { LARGEST_PAYLOAD } from '../server/tasks/events/event-log.ts';
import { LONGEST_PLAN } from '../server/tasks/plans/plan.ts';
import { read } from './files.ts';

/** The table of limits in docs/operations.md, against the program. */

const [, section = ''] =
  /\n### Limits of tasks\n([\s\S]*?)\n## /.exec(read('docs/operations.md')) ?? [];
const rows = [...section.matchAll(/^\| (.+?) \| (.+?) \| (.+?) \|$/gm)]
  .map(([, what = '', limit = '', setting = '']) => ({ what, limit, setting }))
  .slice(1);
const limits = new Map<string, string>(rows.map(({ what, limit }) => [what, limit]));

const KiB = 1024;
const MiB = 1024 * KiB;
const count = (number: number) => number.toLocaleString('en');

test('a limit with a setting is the default of that setting', () => {
  const withSetting = rows.filter(({ setting }) => setting !== '–');
  assert.ok(withSetting.length >= 5);
  for (const { what, limit, setting } of withSetting) {
    const { fallback } = SETTINGS[setting.replaceAll('`', '') as 'TASK_TURNS_AT_ONCE'];
    assert.equal(/^\d+/.exec(limit)?.[0], fallback, what);
  }
});

for (const [what, expected] of [
  ['the payload of one event', `${LARGEST_PAYLOAD / KiB} KiB`],
  [
    'what an agent writes in one turn',
    `${TURN_EVENT_BYTES / MiB} MiB and ${count(TURN_EVENTS)} events`,
  ],
  ['what waits to be appended of one agent', `${MOST_PENDING / MiB} MiB`],
  ['requests of one agent that are not answered', count(MOST_UNANSWERED)],
  ['an attachment', `${ATTACHMENT_BYTES / MiB} MiB`],
  ['an artifact', `${ARTIFACT_BYTES / MiB} MiB`],
  ['a plan', `${count(LONGEST_PLAN)} characters`],
  ['event streams of one process, long polls included', count(STREAM_LIMITS.limit)],
  ['event streams of one user in one process', count(STREAM_LIMITS.limitPerUser)],
  ['an event stream', `${STREAM_LIMITS.life / 3_600_000} h`],
  ['a reader who takes nothing', `${STREAM_LIMITS.stall / 1_000} s`],
  [
    'turns in one process, with those that wait for an answer',
    `${MOST_THERE} times as many; where others need the place, the one that has waited longest, ` +
      `for ${TIMES.unanswered / 60_000} min or more, is ended`,
  ],
  ['until another process goes on with a lost turn', `${TIMES.lease / 1_000} s`],
  ['how often a turn is tried again after its process was lost', `${MAX_LOSSES - 1} times`],
  [
    'what turns have after a signal to stop',
    `${TIMES.drain / 1_000} s, then up to ${STOP_WITHIN_MS / 1_000} s to end their agents`,
  ],
  [
    'processes, memory, disk of one pod',
    [DEFAULT_LIMITS.processes, inBytes(DEFAULT_LIMITS.memory), inBytes(DEFAULT_LIMITS.disk)].join(
      ', ',
    ),
  ],
] as const)
  test(`${what}: ${expected}`, () => {
    assert.ok(limits.get(what)?.startsWith(expected), limits.get(what) ?? 'it has no row');
  });
