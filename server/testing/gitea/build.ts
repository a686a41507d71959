import { execFile } from 'node:child_process';
import { access, cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fitForgejo } from './fit-forgejo.ts';

/**
 * Builds Gitea or Forgejo from its Go module, without the front end, into a folder. It takes Go 1.26.2
 * or newer and a C compiler (for SQLite), ten minutes on two processors, and 2 GiB for what is built.
 * Newer versions need modules that the public proxy does not have.
 */
const SERVERS = {
  gitea: { module: 'code.gitea.io/gitea@v1.26.0', version: '1.26.0', goFlags: '' },
  forgejo: {
    module: 'codeberg.org/forgejo/forgejo@v1.21.0-rc0.0.20241219112042-456d05998231',
    version: '10.0.0-dev',
    goFlags: '-mod=mod',
  },
};

export type ServerName = keyof typeof SERVERS;

export type Run = (
  program: string,
  args: string[],
  options: { env: NodeJS.ProcessEnv; cwd?: string },
) => Promise<{ stdout: string }>;

const most = { maxBuffer: 64 * 1024 ** 2 };
const alone: Run = (program, args, options) =>
  promisify(execFile)(program, args, { ...most, ...options });

/** Unless it is there. Returns the folder, for `startGitea`. */
export async function buildGitea(
  name: ServerName,
  folder: string,
  run: Run = alone,
): Promise<string> {
  const { module, version, goFlags } = SERVERS[name];
  const binary = join(folder, 'gitea');
  const source = join(folder, 'source');
  const there = await access(binary).then(
    () => true,
    () => false,
  );
  if (there) return folder;
  const env = { ...process.env, GOFLAGS: goFlags, CGO_ENABLED: '1' };
  const { stdout } = await run('go', ['mod', 'download', '-json', module], { env });
  const { Dir: downloaded } = JSON.parse(stdout) as { Dir: string };
  await cp(downloaded, source, { recursive: true });
  await run('chmod', ['-R', 'u+w', source], { env });
  const edit = (...args: string[]) => run('go', ['mod', 'edit', ...args], { env, cwd: source });
  if (name === 'forgejo') await fitForgejo(source, edit);
  const flags = ['-buildvcs=false', '-trimpath', '-tags', 'sqlite sqlite_unlock_notify'];
  const stamp = ['-ldflags', `-s -w -X "main.Version=${version}"`];
  const args = ['build', '-p', '1', ...flags, ...stamp, '-o', binary, '.'];
  await run('nice', ['-n', '10', 'go', ...args], { env, cwd: source });
  return folder;
}

if (import.meta.main) {
  const [name, folder] = process.argv.slice(2);
  if (folder === undefined || (name !== 'gitea' && name !== 'forgejo'))
    throw new Error('node server/testing/gitea/build.ts gitea|forgejo FOLDER');
  console.log(`GUILDHALL_TEST_${name.toUpperCase()}=${await buildGitea(name, folder)}`);
}
