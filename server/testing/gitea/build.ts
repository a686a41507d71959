import { execFile } from 'node:child_process';
import { access, cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Builds Gitea from its Go module, without the front end, into a folder. It takes Go 1.26.2 or newer and a C
 * compiler (for SQLite), ten minutes on two processors, and 2 GiB for what is built. Newer versions
 * need modules that the public proxy does not have.
 */
const VERSION = '1.26.0';

type Run = (
  program: string,
  args: string[],
  options: { env: NodeJS.ProcessEnv; cwd?: string },
) => Promise<{ stdout: string }>;

const most = { maxBuffer: 64 * 1024 ** 2 };
const alone: Run = (program, args, options) =>
  promisify(execFile)(program, args, { ...most, ...options });

/** Unless it is there. Returns the folder, for GUILDHALL_TEST_GITEA. */
export async function buildGitea(folder: string, run: Run = alone): Promise<string> {
  const binary = join(folder, 'gitea');
  const source = join(folder, 'source');
  const there = await access(binary).then(
    () => true,
    () => false,
  );
  if (there) return folder;
  const env = { ...process.env, GOFLAGS: '', CGO_ENABLED: '1' };
  const module = `code.gitea.io/gitea@v${VERSION}`;
  const { stdout } = await run('go', ['mod', 'download', '-json', module], { env });
  const { Dir: downloaded } = JSON.parse(stdout) as { Dir: string };
  await cp(downloaded, source, { recursive: true });
  await run('chmod', ['-R', 'u+w', source], { env });
  const flags = ['-buildvcs=false', '-trimpath', '-tags', 'sqlite sqlite_unlock_notify'];
  const stamp = ['-ldflags', `-s -w -X "main.Version=${VERSION}"`];
  const args = ['build', '-p', '1', ...flags, ...stamp, '-o', binary, '.'];
  await run('nice', ['-n', '10', 'go', ...args], { env, cwd: source });
  return folder;
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error('node server/testing/gitea/build.ts FOLDER');
  console.log(`GUILDHALL_TEST_GITEA=${await buildGitea(folder)}`);
}
