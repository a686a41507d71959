import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { S3Place } from '../platform/files/s3-store.ts';
import type { atEnd } from './at-end.ts';
import { freePort, versionOf } from './programs.ts';

/** A folder of its own, removed after the tests of the file, or when `onEnd` says. */
export async function temporaryFolder(onEnd: typeof atEnd = after): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-files-'));
  onEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const CREDENTIALS = { access: 'test-access', secret: 'test-secret' };

/** A real S3 server on this machine, with one bucket. It checks signatures and checksums. */
interface S3Server {
  name: string;
  place(prefix: string): S3Place;
  /** kill -9. */
  kill(): Promise<void>;
}

/** Started for the tests of one file; undefined where versitygw is not in the `PATH`. */
export async function startS3(): Promise<S3Server | undefined> {
  const version = await versionOf('versitygw', ['--version']);
  if (version === undefined) return undefined;
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'buckets', 'files'), { recursive: true });
  await mkdir(join(folder, 'metadata'));
  const port = await freePort();
  const { access, secret } = CREDENTIALS;
  const child = spawn(
    'versitygw',
    [
      '--quiet',
      '--port',
      `127.0.0.1:${port}`,
      '--access',
      access,
      '--secret',
      secret,
      'posix',
      '--sidecar',
      join(folder, 'metadata'),
      join(folder, 'buckets'),
    ],
    { stdio: 'ignore' },
  );
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  after(kill);
  for (let i = 0; !(await listens(port)); i++) {
    if (i > 200 || child.exitCode !== null) throw new Error('versitygw did not start');
    await pause(20);
  }
  // Where the SDK looks for them.
  process.env.AWS_ACCESS_KEY_ID = access;
  process.env.AWS_SECRET_ACCESS_KEY = secret;
  return {
    name: `versitygw, ${version.replace(/\s+/g, ' ')}`,
    place: (prefix) => ({
      bucket: 'files',
      prefix,
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
    }),
    kill,
  };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
