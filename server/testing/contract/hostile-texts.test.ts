import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FILE_PATH } from '../../code/index.ts';
import { NO_CONTROLS_BUT_LINES } from '../../http/input/fields.ts';
import { startGithub } from '../fixtures/code/github.ts';
import { startHarness } from '../harness/harness.ts';
import { membersOf, takesList } from './members.ts';
import { makeTenant, requestSample, sampleOf, successOf } from './tenant.ts';

// Hostile texts. Each test walks the route table.

const harness = await startHarness({ github: await startGithub() });
const { routes, unchanged } = harness;

/** Fields with a short text that people write for each other. */
const WRITTEN = ['name', 'title', 'tax_id', 'login', 'database', 'secret', 'path', 'line_text'];

/** Fields that take any word of lower-case letters. */
const WORDS = ['icon', 'full_name', 'database'];

/** What another system calls a person, in any letters. */
const ELSEWHERE = ['login'];

// Of a list, its own test sends the same.
const withBody = routes.filter((route) => route.body !== undefined && !takesList(route));

test('texts: NUL and controls, half a pair, and what only looks like a name of ours are refused or kept as one text', async () => {
  const tenant = await makeTenant(harness);
  await unchanged(async () => {
    for (const route of withBody) {
      for (const [name, { type, format, readOnly, pattern, minLength }] of membersOf(route.body)) {
        if (readOnly || (type !== 'string' && format !== 'uuid')) continue;
        const isProse = pattern === NO_CONTROLS_BUT_LINES;
        for (const odd of [
          'a\u0000b',
          'a\u001bb',
          'a\u0085b',
          'a\r\nb',
          '\ud800',
          '\udc00x',
          '\u0000',
          ' ',
        ]) {
          if (isProse && odd === 'a\r\nb') continue;
          // Some may be empty, and a file may be named so.
          if ((minLength === 0 || pattern === FILE_PATH) && odd === ' ') continue;
          const reply = await requestSample(harness, route, tenant, { body: { [name]: odd } });
          assert.deepEqual(
            [reply.status, reply.body?.detail?.[0]?.loc, route.operationId],
            [422, ['body', name], route.operationId],
            JSON.stringify(odd),
          );
        }
        // What people say to each other is free in its letters.
        if (isProse) continue;
        // Lookalike letters, directions and widths are different characters and find no id or card.
        for (const odd of [
          '\u202eabc',
          'pm\uff3fabc',
          'p\u200bm_x',
          '\ufeffpm_x',
          '__proto__',
          'constructor',
          '\u{1f600}',
        ]) {
          // What people write is free in its letters, and some fields take any word.
          if (
            [...WRITTEN, ...ELSEWHERE].includes(name) ||
            (WORDS.includes(name) && odd === 'constructor')
          )
            continue;
          const { status } = await requestSample(harness, route, tenant, { body: { [name]: odd } });
          assert.ok(
            status === 422 || status === 404,
            `${route.operationId} ${name} ${odd} ${status}`,
          );
        }
      }
    }
  });
});

test('of a member that came twice the last counts, for the check as for the change; no other name reaches it', async () => {
  const tenant = await makeTenant(harness);
  await unchanged(async () => {
    for (const route of withBody) {
      const good = JSON.stringify(sampleOf(route, tenant).body).slice(1, -1);
      for (const [name, { readOnly, type }] of membersOf(route.body)) {
        if (readOnly) continue;
        const wrong = type === 'array' ? '{}' : '[]';
        const raw = `{${good},"${name}":${wrong}}`;
        const last = await requestSample(harness, route, tenant, { raw });
        assert.deepEqual(
          [last.status, last.body.detail[0].loc],
          [422, ['body', name]],
          route.operationId,
        );
        const others = [name.toUpperCase(), `${name}\u0000`, ` ${name}`, `${name}[]`, `${name}.x`];
        const more = others.map((other) => `${JSON.stringify(other)}:1`);
        const unknown = await requestSample(harness, route, tenant, { raw: `{${good},${more}}` });
        assert.deepEqual(
          [unknown.status, ...unknown.body.detail.map((item: { type: string }) => item.type)],
          [422, ...others.map(() => 'extra_forbidden')],
          `${route.operationId} ${name}`,
        );
      }
    }
  });
  for (const route of withBody) {
    const own = await makeTenant(harness, 'owner', { only: [route] });
    // The same field name, escaped differently, is the same field.
    const good = JSON.stringify(sampleOf(route, own).body).slice(1, -1);
    const [, first] = /^"(\w+)"/.exec(good) as unknown as [string, string];
    const escaped = good.replace(/^"(\w)/, () => `"\\u00${first.charCodeAt(0).toString(16)}`);
    const twice = await requestSample(harness, route, own, {
      raw: `{"${first}":[],${escaped}}`,
    });
    assert.equal(twice.status, successOf(route), twice.text);
  }
});
