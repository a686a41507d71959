import assert from 'node:assert/strict';
import { test } from 'node:test';
import { raw } from '../testing/clients/raw.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { declaredErrors } from './declared-errors.ts';

const { routes: ofTenants, operatorRoutes, url } = await startHarness();
const routes = [...ofTenants, ...operatorRoutes];

test('every operation declares what is answered before it is reached, with or without a body', async () => {
  for (const route of routes) {
    const path = route.path.replaceAll(/\{\w+\}/g, '3fa85f64-5717-4562-b3fc-2c963f66afa6');
    const declared = new Set(declaredErrors(route).map((each) => 'code' in each && each.code));
    for (const [status, code, headers] of [
      [400, 'bad_request', 'host: a\r\nhost: b\r\n'],
      [417, 'expectation_failed', 'host: a\r\nexpect: tea\r\n'],
      [431, 'headers_too_large', `host: a\r\nx-long: ${'x'.repeat(20_000)}\r\n`],
    ] as const) {
      const answer = await raw(
        url,
        `${route.method} ${path} HTTP/1.1\r\n${headers}connection: close\r\n\r\n`,
      );
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} .*"code":"${code}"`, 's'), path);
      assert.ok(declared.has(code), `${route.operationId} does not declare ${code}`);
    }
    for (const code of ['request_timeout', 'overloaded']) assert.ok(declared.has(code), code);
  }
});

test('an operation without a body declares no error of a body', () => {
  const without = routes.filter(({ body, upload }) => !body && !upload);
  assert.ok(without.length > 5);
  for (const route of without) {
    const codes = declaredErrors(route).map((each) => 'code' in each && each.code);
    for (const code of ['unreadable_body', 'body_too_large'])
      assert.ok(!codes.includes(code), `${route.operationId} declares ${code}`);
  }
});
