import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import type { Connections } from './connections.ts';
import { DOCS_POLICY } from './headers.ts';
import { limitPublicFiles } from './public-files.ts';

/**
 * `/openapi.json`, and at `/docs` an interactive reference that reads it. Both are served entirely
 * by this server.
 */
export async function serveDocument(
  app: FastifyInstance,
  document: object,
  connections: Connections,
): Promise<void> {
  // As bytes, so that simultaneous answers share them.
  const text = Buffer.from(JSON.stringify(document));
  await app.register(async (scope) => {
    limitPublicFiles(scope, connections);
    scope.get('/openapi.json', (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(text),
    );
    await scope.register(swagger, {
      mode: 'static',
      specification: { document: document as never },
    });
    await scope.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: DOCS_POLICY,
      uiConfig: { persistAuthorization: true, validatorUrl: null } as never,
    });
  });
}
