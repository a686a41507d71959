import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inTurn } from '../in-turn.ts';

/**
 * The Chromium that comes with npm, unpacked once for each version into `node_modules/.cache`, with
 * the libraries that a small system lacks.
 */

const PACKAGE = join(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '..');
const CACHE = join(import.meta.dirname, '../../node_modules/.cache');

// It unpacks into the folder for temporary files of its process, so it gets one of its own.
const UNPACK = `
  const { default: chromium, inflate } = await import(process.argv[1] + '/build/index.js');
  await chromium.executablePath();
  await inflate(process.argv[1] + '/bin/al2023.tar.br');
`;

interface Unpacked {
  executablePath: string;
  libraries: string;
}

export async function unpackBrowser(version: string): Promise<Unpacked> {
  const folder = join(CACHE, `chromium-${version}`);
  const unpacked = {
    executablePath: join(folder, 'chromium'),
    libraries: join(folder, 'al2023', 'lib'),
  };
  const isThere = () => existsSync(unpacked.executablePath);
  if (isThere()) return unpacked;
  await mkdir(CACHE, { recursive: true });
  // Several processes begin at the same time, and each would take seconds of a processor.
  await inTurn(`${folder}.lock`, async () => {
    if (!isThere()) await unpackInto(folder);
  });
  return unpacked;
}

async function unpackInto(folder: string): Promise<void> {
  const own = await mkdtemp(join(CACHE, 'unpacking-'));
  try {
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', UNPACK, PACKAGE],
      { env: { ...process.env, TMPDIR: own }, encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`the browser could not be unpacked: ${stderr}`);
    await rename(own, folder);
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}
