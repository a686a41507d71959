import { execFile, spawn } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { sandboxAgent } from '../../server/runner/agents/sandbox-agent.ts';

/**
 * The floor of a turn: what a person would do for it, with `git` and the same agent, in a work tree
 * of the same repository. Its model answers at once.
 */
interface ByHand {
  plan(): Promise<void>;
  build(): Promise<void>;
  merge(): Promise<void>;
  close(): Promise<void>;
}

const run = promisify(execFile);

/** One at a time: git fails where it meets another work tree that is half made. */
let added: Promise<unknown> = Promise.resolve();

const env = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Bench',
  GIT_AUTHOR_EMAIL: 'bench@localhost',
  GIT_COMMITTER_NAME: 'Bench',
  GIT_COMMITTER_EMAIL: 'bench@localhost',
};

export function byHand(repository: string, folder: string, text: string): ByHand {
  const tree = join(folder, 'work');
  const home = join(folder, 'home');
  const branch = folder.split('/').at(-1) as string;
  const git = async (at: string, ...args: string[]) =>
    (await run('git', ['-C', at, ...args], { env, maxBuffer: 1e9 })).stdout.trim();
  let plan = '';
  return {
    async plan() {
      await mkdir(home, { recursive: true });
      const add = () => git(repository, 'worktree', 'add', '--quiet', '-b', branch, tree, 'main');
      added = added.then(add);
      await added;
      plan = await ask(home, tree, 'plan', text);
    },
    async build() {
      await ask(home, tree, 'build', plan);
      await git(tree, 'add', '--all');
      await git(tree, 'commit', '--quiet', '-m', 'Turn');
    },
    async merge() {
      for (;;) {
        const base = await git(repository, 'rev-parse', 'main');
        const merged = await git(repository, 'merge-tree', '--write-tree', base, branch);
        const parents = ['-p', base, '-p', branch];
        const id = await git(repository, 'commit-tree', merged, ...parents, '-m', 'Merge');
        const moved = git(repository, 'update-ref', 'refs/heads/main', id, base);
        if (
          await moved.then(
            () => true,
            () => false,
          )
        )
          return;
      }
    },
    async close() {
      await git(repository, 'worktree', 'remove', '--force', tree);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** One prompt to a new process of the agent. Returns what it has written. */
async function ask(home: string, tree: string, mode: string, text: string): Promise<string> {
  const child = spawn(process.execPath, sandboxAgent.args, {
    env: { HOME: home, PATH: '/usr/bin:/bin' },
    cwd: tree,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting = new Map<number, (result: { sessionId: string }) => void>();
  let written = '';
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, method, params, result, error } = JSON.parse(line);
    if (error !== undefined) throw new Error(error.message);
    if (method === undefined) waiting.get(id)?.(result);
    else if (id !== undefined)
      send({ jsonrpc: '2.0', id, result: { outcome: { outcome: 'selected', optionId: 'allow' } } });
    else if (params.update.sessionUpdate === 'agent_message_chunk')
      written += params.update.content.text;
  });
  let id = 0;
  const call = (method: string, params: object) =>
    new Promise<{ sessionId: string }>((resolve) => {
      id += 1;
      waiting.set(id, resolve);
      send({ jsonrpc: '2.0', id, method, params });
    });
  await call('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await call('session/new', { cwd: tree, mcpServers: [] });
  await call('session/set_mode', { sessionId, modeId: mode });
  await call('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.stdin.end();
  await ended;
  return written;
}
