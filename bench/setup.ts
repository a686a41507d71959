import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gitDirOf } from '../server/code/repositories/git.ts';
import { makeRepository } from '../server/code/repositories/make-repository.ts';
import { openDatabase } from '../server/db/database/database.ts';
import { openPods } from '../server/platform/pods/open-pods.ts';
import { fillPod } from '../server/runner/worker/commands/fill-pod.ts';
import { openEnvironments } from '../server/runner/worker/environment/environments.ts';
import { setupResults } from '../server/runner/worker/environment/setup-results.ts';
import { fixturesOn } from '../server/testing/fixtures/tenants.ts';
import { onScratchDatabase } from './scratch.ts';
import type { Setting } from './setting.ts';

/** How long a new pod takes until its agent could start: with its setup, and with what was kept. */

const PACKAGES = 300;
const ROOT = join(import.meta.dirname, '..');
const BUILD_FILE = JSON.stringify({
  environment: {
    setup: 'npm ci --offline --ignore-scripts --no-audit --no-fund',
    cache: ['package-lock.json'],
  },
});

export async function setup({ adminUrl, rounds, say }: Setting): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-bench-'));
  await chmod(folder, 0o755); // as root, the users of pods have to pass
  try {
    await onScratchDatabase(adminUrl, 'bench_setup', async (url) => {
      const db = openDatabase({ url });
      const { user, project } = fixturesOn(db);
      const projectId = await project({ userId: (await user()).id });
      say(`a project with ${PACKAGES} packages …`);
      const commit = await commitOf(folder, projectId);
      const pods = await openPods({
        driver: 'process',
        directory: join(folder, 'pods'),
        sandbox: 'required',
      });
      const directory = join(folder, 'repositories');
      const of = { projectId, commit };
      const { signal } = new AbortController();
      const begin = async (results: string): Promise<string> => {
        const environments = openEnvironments(db, {
          driver: pods,
          directory,
          results: setupResults(join(folder, results), { bytes: 2 * 1024 ** 3 }),
        });
        const begun = performance.now();
        const id = randomUUID();
        const renew = async () => {
          await pods.create(id);
          const pod = await pods.attach(id);
          await fillPod(pod, directory, of, signal);
          return pod;
        };
        const pod = await renew();
        const filled = performance.now();
        const environment = await environments.of(of);
        const { end } = await environments.setUp(pod, environment, of, { signal, renew });
        const whole = ((performance.now() - begun) / 1_000).toFixed(1);
        const fill = ((filled - begun) / 1_000).toFixed(1);
        if (end === undefined || !['success', 'restored'].includes(end.conclusion))
          throw new Error(`the setup has ${end?.conclusion}: ${end?.log}`);
        await pods.destroy(id);
        return `${whole} s (${end.conclusion}; ${fill} s of it to fill the work tree)`;
      };
      for (let round = 1; round <= rounds; round += 1) {
        const first = await begin(`setups-${round}`);
        const second = await begin(`setups-${round}`);
        process.stdout.write(`round ${round}: first task ${first}, second task ${second}\n`);
      }
      await pods.close();
      await db.close();
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A commit with the packages as archives, a lock file and a build file, on the default branch. */
async function commitOf(folder: string, projectId: string): Promise<string> {
  const tree = join(folder, 'tree');
  const vendor = join(tree, 'vendor');
  await mkdir(vendor, { recursive: true });
  const dependencies: Record<string, string> = {};
  const packages: Record<string, object> = {};
  for (const path of (await candidates()).slice(0, PACKAGES)) {
    const name = path.replaceAll(/[@/]/g, (sign) => (sign === '/' ? '-' : ''));
    const resolved = `file:vendor/${name}.tgz`;
    const integrity = await packed(folder, path, name, join(vendor, `${name}.tgz`));
    dependencies[name] = resolved;
    packages[`node_modules/${name}`] = { version: '1.0.0', resolved, integrity };
  }
  const root = { name: 'bench', version: '1.0.0', dependencies };
  const lock = { name: 'bench', lockfileVersion: 3, packages: { '': root, ...packages } };
  await writeFile(join(tree, 'package.json'), JSON.stringify(root));
  await writeFile(join(tree, 'package-lock.json'), JSON.stringify(lock));
  await writeFile(join(tree, '.gitignore'), 'node_modules\n');
  await writeFile(join(tree, '.guildhall.yml'), BUILD_FILE);
  const gitDir = gitDirOf(join(folder, 'repositories'), projectId);
  await makeRepository(gitDir);
  const env = { ...process.env, GIT_DIR: gitDir, GIT_WORK_TREE: tree };
  const who = ['-c', 'core.bare=false', '-c', 'user.name=x', '-c', 'user.email=x@localhost'];
  const git = (...args: string[]) =>
    execFileSync('git', [...who, ...args], { env, encoding: 'utf8' }).trim();
  git('add', '--all');
  const commit = git('commit-tree', git('write-tree'), '-m', 'Packages');
  git('update-ref', 'refs/heads/main', commit);
  return commit;
}

/** The packages of this repository. */
async function candidates(): Promise<string[]> {
  const found: string[] = [];
  const modules = join(ROOT, 'node_modules');
  for (const name of (await readdir(modules)).sort()) {
    if (name.startsWith('.')) continue;
    const inner = name.startsWith('@')
      ? (await readdir(join(modules, name))).map((one) => `${name}/${one}`)
      : [name];
    for (const path of inner) {
      const kib = Number(
        execFileSync('du', ['-skD', join(modules, path)])
          .toString()
          .split('\t')[0],
      );
      if (kib < 3_000) found.push(path);
    }
  }
  return found;
}

/** The integrity of a package whose archive was written. */
async function packed(folder: string, path: string, name: string, to: string): Promise<string> {
  const copy = join(folder, 'package');
  await cp(join(ROOT, 'node_modules', path), copy, { recursive: true, dereference: true });
  await rm(join(copy, 'node_modules'), { recursive: true, force: true });
  await writeFile(join(copy, 'package.json'), JSON.stringify({ name, version: '1.0.0' }));
  execFileSync('tar', ['--create', '--gzip', '--file', to, '--directory', folder, 'package']);
  await rm(copy, { recursive: true });
  return `sha512-${createHash('sha512')
    .update(await readFile(to))
    .digest('base64')}`;
}
