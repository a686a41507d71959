import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../harness/until.ts';

/**
 * Runs commands as a person pastes them into one terminal, one after the other: what one sets as
 * TASK or HEAD is there for the next.
 */
export function terminal(cwd: string, env: Record<string, string | undefined>) {
  let variables: Record<string, string | undefined> = { ...env };

  /**
   * Runs a command in `sh` and returns what it prints to standard output. With `enough`, it is
   * ended as Ctrl-C does once its output is enough, for at most a minute.
   */
  return async (command: string, enough?: (out: string) => boolean): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'guildhall-terminal-'));
    const kept = join(folder, 'variables');
    const script = `${command}\n[ $? -eq 0 ] && printf '%s ' "$TASK" "$HEAD" > '${kept}'`;
    const child = spawn('sh', ['-c', script], {
      cwd,
      env: variables,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    const closed = once(child, 'close');
    try {
      if (enough !== undefined)
        await until(`${command}\n${out}\n${err}`, () => enough(out), 60_000).finally(() =>
          process.kill(-(child.pid as number), 'SIGINT'),
        );
      const [code] = await closed;
      if (enough !== undefined) return out;
      assert.equal(code, 0, `${command}\n${out}\n${err}`);
      const [TASK, HEAD] = (await readFile(kept, 'utf8')).split(' ');
      variables = { ...variables, TASK, HEAD };
      return out;
    } finally {
      await rm(folder, { recursive: true });
    }
  };
}
