import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGithub } from '../fixtures/code/github.ts';
import { startHarness } from '../harness/harness.ts';
import { probe } from '../harness/probe.ts';
import { makeTenant, requestSample } from './tenant.ts';

// A statement that writes must take its rows from `authorized`, so that it writes nothing for a
// caller who may not.

const harness = await startHarness({ github: await startGithub() });
const { routes, snapshot } = harness;

/** The common table expressions of a statement, by name; the text after them is named `select`. */
function parts(text: string): Map<string, string> {
  const found = new Map<string, string>();
  let rest = text
    .trim()
    .replace(/^with\s+/i, '')
    .replaceAll(/'[^']*'/g, "''");
  for (;;) {
    const head = /^\s*,?\s*(\w+)\s+as\s+(?:materialized\s+)?\(/i.exec(rest);
    if (head === null) break;
    const end = closing(rest, head[0].length);
    found.set(head[1] as string, rest.slice(head[0].length, end));
    rest = rest.slice(end + 1);
  }
  return found.set('select', rest);
}

function closing(text: string, from: number): number {
  let depth = 1;
  for (let i = from; i < text.length; i++) {
    if (text[i] === "'") i = text.indexOf("'", i + 1);
    else if (text[i] === '(') depth++;
    else if (text[i] === ')' && --depth === 0) return i;
  }
  return text.length;
}

/** Parts that write without `authorized` behind them. */
function unguarded(text: string): string[] {
  const all = parts(text);
  const depends = (name: string, seen = new Set<string>()): boolean => {
    if (name === 'authorized') return true;
    if (seen.has(name)) return false;
    seen.add(name);
    const body = all.get(name) ?? '';
    return [...all.keys()].some(
      (other) =>
        other !== 'select' && new RegExp(`\\b${other}\\b`).test(body) && depends(other, seen),
    );
  };
  return [...all.keys()].filter(
    (name) =>
      /\b(insert\s+into|update\s+\w+|delete\s+from|merge\s+into)\b/i.test(
        (all.get(name) ?? '').replaceAll(/for\s+(no\s+key\s+)?update/gi, ''),
      ) && !depends(name),
  );
}

test('the reader of statements finds a write without the authorized row, however it hides', () => {
  const guard = 'caller as (select 1), access as (select 1), authorized as (select * from access)';
  for (const bad of [
    `with ${guard}, w as (update team set name = 'x' where id = 1 returning id) select 1`,
    `with ${guard}, a as (select 1), w as (insert into team select * from a) select * from authorized`,
    `with ${guard}, w as (delete from team where name = 'authorized (') select * from w, authorized`,
  ])
    assert.deepEqual(unguarded(bad), ['w'], bad);
  for (const good of [
    `with ${guard}, w as (update team t set name = 'x' from authorized) select 1`,
    `with ${guard}, c as (select t.* from team t join authorized using (id) for update of t),
      w as (insert into audit_event select * from c) select 1`,
  ])
    assert.deepEqual(unguarded(good), [], good);
});

test('every write of every statement depends on the authorized row', async () => {
  let writes = 0;
  for (const route of routes) {
    const statement = await probe(route);
    if (statement === undefined) continue;
    const text = statement.strings.join('$1');
    if (/\b(insert into|update|delete from)\b/.test(text)) writes++;
    assert.deepEqual(unguarded(text), [], route.operationId);
  }
  assert.ok(writes >= 4);
});

test('403: a stranger calls every operation that writes, with an Idempotency-Key and without; the database stays as it is', async () => {
  const tenant = await makeTenant(harness);
  const { caller: stranger } = await makeTenant(harness, 'stranger');
  const before = await snapshot();
  for (const route of routes.filter(({ method, params }) => method !== 'GET' && params)) {
    for (const headers of [{}, { 'idempotency-key': `stranger ${route.operationId}` }]) {
      const reply = await requestSample(harness, route, tenant, { key: stranger.key, headers });
      assert.equal(reply.status, 403, `${route.operationId}: ${reply.text}`);
    }
  }
  assert.deepEqual(await snapshot(), before);
});
