import { constants } from 'node:fs';
import { access, chmod, lstat, mkdtemp, rm, stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };
import { isNewEnough, runGit } from '../../code/index.ts';
import type { Config } from '../../platform/config/config.ts';
import { checkPodSockets } from '../../platform/pods/pod-socket.ts';
import { openSandbox } from '../../platform/pods/process/sandbox.ts';
import { type Finding, failure, ok, reasonOf, warning } from './finding.ts';

/** What a server needs of its machine. */

export function checkNode(version = process.versions.node): Finding {
  const wanted = manifest.dependencies.node;
  const [major] = version.split('.');
  if (major === wanted.split('.')[0]) return ok('Node.js', version);
  return warning(
    'Node.js',
    `${version}, and this release was tested with ${wanted}: run node_modules/.bin/node, or npm start`,
  );
}

export async function checkGit(): Promise<Finding> {
  try {
    const printed = await runGit(['--version'], {});
    return isNewEnough(printed)
      ? ok('Git', printed.replace('git version ', ''))
      : failure('Git', `${printed} is too old for merges: install 2.38 or newer`);
  } catch (error) {
    return failure('Git', reasonOf(error));
  }
}

const GIB = 1024 ** 3;
const LOW = 5 * GIB;
const VERY_LOW = GIB / 2;
const FEW_FILES = 10_000;

/** File systems on which locks and renames are not what Git and PostgreSQL expect, by their numbers. */
const ODD: Record<string, string> = {
  '6969': 'NFS',
  ff534d42: 'CIFS',
  fe534d42: 'SMB',
  '517b': 'SMB',
  '4d44': 'FAT',
  '2011bab0': 'exFAT',
  '65735546': 'FUSE',
  '1021997': '9p',
  '1021994': 'memory (tmpfs): it is lost with the machine',
};

/** A folder that is there, or the one above it in which it would be made. */
export async function checkFolder(name: string, path: string): Promise<Finding> {
  const folder = await nearest(resolve(path));
  try {
    if (folder !== resolve(path) && (await isLink(resolve(path))))
      return failure(
        name,
        `${path} is a link to what is not there: make that folder, or remove the link`,
      );
    if (!(await stat(folder)).isDirectory())
      return failure(name, `${folder} is not a folder: choose another DATA_DIR`);
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return failure(
      name,
      `${folder} cannot be written by this user (${code}): change its permissions, or choose another DATA_DIR`,
    );
  }
  const { bavail, bsize, type, files, ffree } = await statfs(folder);
  const free = bavail * bsize;
  const where = folder === resolve(path) ? folder : `${path} will be made in ${folder}`;
  const said = `${where}, ${(free / GIB).toFixed(1)} GiB free`;
  if (free < VERY_LOW) return failure(name, `${said}: free some, or tasks and the database stop`);
  if (free < LOW) return warning(name, `${said}: free some`);
  // Of file systems that count them: 0 in all is one that makes them as they are needed.
  if (files > 0 && ffree < FEW_FILES)
    return failure(
      name,
      `${said}, and room for ${ffree} more files (inodes): remove some, or tasks and the database stop`,
    );
  const odd = ODD[type.toString(16)];
  if (odd !== undefined)
    return warning(name, `${said}, on ${odd}: a disk of this machine is faster and surer`);
  return ok(name, said);
}

const isLink = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );

async function nearest(path: string): Promise<string> {
  for (let at = path; ; at = dirname(at)) {
    const there = await stat(at).then(
      () => true,
      (error) => error.code !== 'ENOENT',
    );
    if (there || at === dirname(at)) return at;
  }
}

/** The folder for temporary files, with one and a socket that are removed again. */
export const checkTemporary = (): Promise<Finding> =>
  checkPodSockets().then(
    () => ok('TMPDIR', tmpdir()),
    (error) => failure('TMPDIR', reasonOf(error)),
  );

/** The sandbox, tried in a folder that is removed again. */
export async function checkSandbox({ pods }: Config): Promise<Finding> {
  if (pods.driver !== 'process') return ok('sandbox', `pods are containers of ${pods.driver}`);
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-doctor-'));
  try {
    // As root, it is tried as another user, who has to pass.
    await chmod(directory, 0o755);
    const warnings: string[] = [];
    const { bwrap } = await openSandbox({
      directory,
      wanted: pods.sandbox,
      because: pods.because,
      path: pods.path,
      onWarning: (sentence) => warnings.push(sentence),
    });
    if (bwrap !== undefined) return ok('sandbox', `agents are confined by ${bwrap}`);
    const said = warnings.join(' ');
    const todo = /not installed/.test(said) ? ' Install it (apt install bubblewrap)' : '';
    return warning('sandbox', `${said}${todo}`);
  } catch (error) {
    return failure('sandbox', reasonOf(error));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const ANSWERS_WITHIN_MS = 3_000;

/** Free, or a server of ours. */
export async function checkPort({ port, host }: Config): Promise<Finding> {
  const name = `port ${port}`;
  if (port === 0) return ok('port', 'any that is free');
  const error = await listenOn(port, host);
  if (error === undefined) return ok(name, `free on ${host}`);
  if (error.code === 'EADDRINUSE') {
    const at = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
    const isOurs = await fetch(`http://${at.includes(':') ? `[${at}]` : at}:${port}/healthz`, {
      signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
      redirect: 'error',
    }).then(
      async (answer) => answer.ok && /"status"/.test((await answer.text()).slice(0, 1_000)),
      () => false,
    );
    return isOurs
      ? ok(name, 'a server of Guildhall answers there')
      : failure(name, `another program uses it on ${host}: stop that, or choose another PORT`);
  }
  if (error.code === 'EACCES')
    return failure(name, 'this user may not open it: choose a PORT above 1023');
  return failure(name, `${host} cannot be opened (${error.code}): check HOST`);
}

const listenOn = (port: number, host: string): Promise<NodeJS.ErrnoException | undefined> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen({ port, host }, () => server.close(() => resolve(undefined)));
  });
