import assert from 'node:assert/strict';
import { test } from 'node:test';
import fastify from 'fastify';
import { openClient } from '../testing/clients/sockets.ts';
import { until } from '../testing/harness/until.ts';
import { apiError } from './errors.ts';
import { object } from './input/fields.ts';
import { registerPublicRoute } from './public-pipeline.ts';
import { publicRoute } from './public-route.ts';
import type { RateLimits } from './rate-limit.ts';

const tooMany = apiError(503, 'too_many', 'Too many: try again in a moment', {
  'retry-after': '1',
});

test('503: what is not admitted takes from no limit, and nothing of its body is received', async (t) => {
  const touched: string[] = [];
  const app = fastify({ forceCloseConnections: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  app.setErrorHandler((error: ReturnType<typeof tooMany>, _request, reply) =>
    reply.status(error.status).headers(error.headers).send({ code: error.code }),
  );
  const route = publicRoute({
    method: 'POST',
    path: '/auth/test',
    area: 'Sign-in',
    operationId: 'test',
    limit: 'signIn',
    summary: 'Test',
    description: 'Tests.',
    sample: () => ({}),
    body: object({}),
    responses: { 204: { description: 'Done.' } },
    errors: [tooMany],
    admit: () => {
      throw tooMany();
    },
    handle: async () => {
      touched.push('handler');
      return { status: 204 };
    },
  });
  registerPublicRoute(app, route, {
    limits: { take: async () => void touched.push('limit') } as unknown as RateLimits,
    publicUrl: 'http://localhost',
    receive: async () => {
      touched.push('body');
      return Buffer.from('{}');
    },
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  t.after(() => app.close());

  const head = 'POST /auth/test HTTP/1.1\r\nhost: x\r\nsec-fetch-site: same-origin\r\n';
  const json = 'content-type: application/json\r\ncontent-length: 2\r\n\r\n';
  const client = await openClient(url, { bytes: `${head}${json}{}` });
  await until('an answer', () => client.text().includes('too_many'));
  assert.match(client.text(), /^HTTP\/1\.1 503 /);
  assert.match(client.text(), /retry-after: 1\r\n/i);
  assert.match(client.text(), /connection: keep-alive\r\n/i);

  const slow = await openClient(url, { bytes: `${head}${json}` });
  await until('an answer before the body', () => slow.text().includes('too_many'));
  assert.match(slow.text(), /connection: close\r\n/i);
  assert.deepEqual(touched, []);
});
