import type { Writable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { badRequest } from '../../http/errors.ts';
import type { Transfers } from '../../http/transfers.ts';
import { type GitAnswer, type GitRequest, startBackend } from './backend.ts';
import { gitBusy } from './errors.ts';
import { LIMITS } from './settings.ts';

/** A request of a client, of which `begun` was read and `rest` is to come. */
interface Client {
  request: FastifyRequest;
  reply: FastifyReply;
  found: { userId: string };
  begun?: Buffer;
  rest?: AsyncGenerator<Buffer, void>;
  /** Called when Git has ended, however it did. */
  afterwards?(): Promise<void>;
}

/**
 * Lets Git answer a client, as one of the transfers. Git and everything that it starts ends with its
 * client, with the server, and after the longest time. Errors: 503 git_busy, and what reading the
 * body throws.
 */
export async function exchange(
  { transfers, ending }: { transfers: Transfers; ending: AbortSignal },
  { request, reply, found, begun, rest, afterwards }: Client,
  asking: GitRequest,
) {
  const { promise: answered, resolve, reject } = Promise.withResolvers<GitAnswer>();
  transfers
    .run(found.userId, async () => {
      const git = startBackend(asking);
      const stop = (error: Error) => {
        git.kill(error);
        reject(error);
      };
      const until = AbortSignal.any([ending, AbortSignal.timeout(LIMITS.life)]);
      const late = () => stop(gitBusy());
      const gone = () => stop(badRequest());
      until.addEventListener('abort', late, { once: true });
      reply.raw.once('close', gone);
      if (until.aborted) late();
      if (reply.raw.destroyed) gone();
      give(git.input, begun, rest).catch((error) => {
        stop(error);
        // Too late for an answer of its own.
        if (reply.raw.headersSent) request.raw.destroy();
      });
      git.answer.then(resolve, reject);
      await git.ended;
      until.removeEventListener('abort', late);
      reply.raw.off('close', gone);
      await afterwards?.();
    })
    .catch(reject);
  const { status, type, body } = await answered;
  return reply.code(status).header('content-type', type).send(body);
}

/**
 * Passes a body on as fast as Git takes it. What Git does not want any more is read all the same:
 * a client looks for the answer only when everything is sent.
 */
async function give(
  input: Writable,
  begun: Buffer | undefined,
  rest: AsyncGenerator<Buffer, void> | undefined,
): Promise<void> {
  if (begun !== undefined && begun.length > 0) await write(input, begun);
  for await (const chunk of rest ?? []) await write(input, chunk);
  input.end();
}

async function write(input: Writable, chunk: Buffer): Promise<void> {
  if (!input.writable || input.write(chunk)) return;
  await new Promise<void>((resolve) => {
    const go = () => {
      input.off('drain', go).off('close', go);
      resolve();
    };
    input.once('drain', go).once('close', go);
  });
}
