import type { FastifyInstance } from 'fastify';
import { type ApiError, methodNotAllowed, notFound } from './errors.ts';

/** How a request that no route takes is refused. */
export type RefuseUnrouted = (request: { method: string; url: string }) => ApiError;

/**
 * Answers 405 with `Allow` for all other methods of the existing paths. A method that no path at all
 * serves has no routes, which are thousands and take a third of a start: the function that is
 * returned finds its path.
 */
export function registerOtherMethods(
  app: FastifyInstance,
  byPath: Map<string, { method: string }[]>,
): RefuseUnrouted {
  const served = new Set(['HEAD', ...[...byPath.values()].flat().map(({ method }) => method)]);
  const paths: { pattern: RegExp; parameters: number; refused: () => ApiError }[] = [];
  for (const [url, routes] of byPath) {
    const methods = routes.map(({ method }) => method);
    // HEAD goes with GET and is not listed, as the recorded answers of this API have it.
    const refused = () => methodNotAllowed({}, { allow: methods.join(', ') });
    paths.push({ pattern: patternOf(url), parameters: url.split(':').length, refused });
    const others = served.difference(
      new Set(methods.includes('GET') ? [...methods, 'HEAD'] : methods),
    );
    if (others.size > 0)
      app.route({
        method: [...others],
        url,
        onRequest: async () => {
          throw refused();
        },
        handler: async () => {},
      });
  }
  // A path with fewer parameters is not one with more of them.
  paths.sort((a, b) => a.parameters - b.parameters);
  return ({ method, url }) => {
    if (served.has(method)) return notFound();
    const [path = ''] = url.split('?', 1);
    return paths.find(({ pattern }) => pattern.test(path))?.refused() ?? notFound();
  };
}

/** Fits the paths that the router takes for this one. */
function patternOf(url: string): RegExp {
  const parts = url
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : RegExp.escape(part)));
  return new RegExp(`^${parts.join('/')}$`);
}
