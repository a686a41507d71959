import type { FastifyInstance } from 'fastify';
import { apiError } from '../errors.ts';

const overloaded = apiError(
  503,
  'overloaded',
  'The server has all the requests it can work on: try again in a moment',
  { 'retry-after': '1' },
);

/**
 * Refuses what comes while `limit` requests are under way, at once and before anything is asked of the database: a
 * queue that only grows would make every answer late. Health is always answered.
 */
export function refuseOverload(app: FastifyInstance, limit: number): void {
  let running = 0;
  const leave = () => {
    running--;
  };
  app.addHook('onRequest', (request, reply, done) => {
    if (request.url === '/healthz' || request.url === '/readyz') return done();
    if (running >= limit) return done(overloaded());
    running++;
    reply.raw.once('close', leave);
    return done();
  });
}
