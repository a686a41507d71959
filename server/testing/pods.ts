import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { openPods, type ProcessPods } from '../platform/pods/open-pods.ts';
import type { Pod, PodCommand, PodDriver, PodExit } from '../platform/pods/pod.ts';

/** `directory`: a folder of this machine. */
export type TestPods = PodDriver & { directory: string };

/** Pods of this machine in a folder of their own, which is removed with them after the test. */
export async function makePods(
  t: Pick<TestContext, 'after'>,
  config: Partial<ProcessPods> = {},
): Promise<TestPods> {
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-pods-'));
  await chmod(directory, 0o755); // as root, the users of pods have to pass
  const pods = await openPods({
    driver: 'process',
    directory,
    sandbox: 'preferred',
    ...config,
  });
  t.after(async () => {
    await Promise.all((await pods.list()).map(({ id }) => pods.destroy(id)));
    await pods.close();
    await rm(directory, { recursive: true, force: true });
  });
  return Object.assign(pods, { directory });
}

/** A pod that was started. */
export async function makePod(pods: PodDriver): Promise<Pod> {
  const id = randomUUID();
  await pods.create(id);
  return pods.start(id);
}

/** Why pods cannot be confined on this machine; false when they can. */
export async function withoutSandbox(): Promise<string | false> {
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-pods-'));
  await chmod(directory, 0o755);
  try {
    await (await openPods({ driver: 'process', directory, sandbox: 'required' })).close();
    return false;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

export type Outcome = PodExit & { stdout: string; stderr: string };

/** Runs a command to its end, or ends it after ten seconds. */
export async function run(pod: Pod, command: PodCommand, stdin = ''): Promise<Outcome> {
  const process = await pod.exec({ signal: AbortSignal.timeout(10_000), ...command });
  const output = { stdout: '', stderr: '' };
  process.stdout.on('data', (chunk) => (output.stdout += chunk));
  process.stderr.on('data', (chunk) => (output.stderr += chunk));
  process.stdin.end(stdin);
  const exit = await process.exited;
  return { ...exit, ...output };
}

/** Runs a script of the shell. */
export const shell = (pod: Pod, script: string, tree: PodCommand['tree'] = 'writable') =>
  run(pod, { command: 'sh', args: ['-c', script], tree });
