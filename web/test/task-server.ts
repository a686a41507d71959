import { once } from 'node:events';
import { taskServers } from '../../server/testing/fixtures/runner/task-servers.ts';
import { atEnd } from '../../server/testing/harness/at-end.ts';
import { localAddress } from './local-address.ts';

let shared: ReturnType<typeof start> | undefined;

/**
 * A real server that carries out tasks, for all test files of this process. Anyone may sign up, and
 * `url` is an address at which browsers have passkeys.
 */
export async function taskServer() {
  shared ??= start();
  return shared;
}

async function start() {
  const { url, forward } = await localAddress('localhost', atEnd);
  const servers = await taskServers(atEnd);
  const serve = async () => {
    const served = await servers.serve([], { PUBLIC_URL: url, SIGN_UP: 'open' });
    forward(served.url);
    return served;
  };
  let running = await serve();
  const call = <Answer>(method: string, path: string, body?: object) =>
    servers.call<Answer>({ url }, method, path, body);

  return {
    ...servers,
    url,
    call,
    /** Creates a task; returns its id, and the path of its page. */
    create: async (message: string): Promise<{ id: string; path: string }> => {
      const id = await servers.create({ url }, message);
      return { id, path: `/projects/${servers.project}/tasks/${id}` };
    },
    /** Ends the server as a crash does, and starts another one at the same address. */
    restart: async (): Promise<void> => {
      running.child.kill('SIGKILL');
      await once(running.child, 'exit');
      await servers.expireLeases();
      running = await serve();
    },
  };
}
