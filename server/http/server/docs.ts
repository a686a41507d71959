import { Readable } from 'node:stream';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { acceptsGzip, gzipWell } from '../compress.ts';
import type { Connections } from './connections.ts';
import { DOCS_POLICY } from './headers.ts';
import { limitPublicFiles } from './public-files.ts';

/** What is text, among the files of the reference. */
const TEXT = /^(text\/|application\/(javascript|json)|image\/svg)/;

/** Compresses each file of a scope once, when it is first asked for. */
function compressFiles(scope: FastifyInstance): void {
  const kept = new Map<string, Promise<Buffer>>();
  scope.addHook('onSend', async (request, reply, payload) => {
    const type = String(reply.getHeader('content-type'));
    // A range, and an answer without a body, are left as they are.
    if (reply.statusCode !== 200 || !TEXT.test(type)) return payload;
    reply.header('vary', 'accept-encoding');
    if (!acceptsGzip(request.headers)) return payload;
    const [path = ''] = request.url.split('?');
    let bytes = kept.get(path);
    if (request.method === 'HEAD') {
      // As GET, but that a length is named only where it is known.
      reply.removeHeader('content-length').header('content-encoding', 'gzip');
      if (bytes !== undefined) reply.header('content-length', (await bytes).length);
      if (payload instanceof Readable) payload.destroy();
      return Readable.from([]);
    }
    if (bytes === undefined) {
      bytes = bytesOf(payload).then(gzipWell);
      kept.set(path, bytes);
      bytes.catch(() => kept.delete(path));
    } else if (payload instanceof Readable) payload.destroy();
    const compressed = await bytes;
    reply.headers({ 'content-encoding': 'gzip', 'content-length': compressed.length });
    return compressed;
  });
}

async function bytesOf(payload: unknown): Promise<Buffer> {
  if (payload instanceof Readable) return Buffer.concat(await payload.toArray());
  return Buffer.from(payload as string | Buffer);
}

/**
 * `/openapi.json`, and at `/docs` an interactive reference that reads it. Both are served entirely
 * by this server. `write` is called once, when the document is first asked for.
 */
export async function serveDocument(
  app: FastifyInstance,
  write: () => object,
  connections: Connections,
): Promise<void> {
  let written: object | undefined;
  const document = () => {
    written ??= write();
    return written;
  };
  // As bytes, so that simultaneous answers share them.
  let text: Buffer | undefined;
  await app.register(async (scope) => {
    limitPublicFiles(scope, connections);
    compressFiles(scope);
    scope.get('/openapi.json', (_request, reply) => {
      text ??= Buffer.from(JSON.stringify(document()));
      return reply.type('application/json; charset=utf-8').send(text);
    });
    // The reference gets the document from `transformSpecification`, which is called when it is asked.
    await scope.register(swagger, { mode: 'static', specification: { document: {} as never } });
    await scope.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: DOCS_POLICY,
      transformSpecification: document,
      transformSpecificationClone: false,
      uiConfig: { persistAuthorization: true, validatorUrl: null } as never,
    });
  });
}
