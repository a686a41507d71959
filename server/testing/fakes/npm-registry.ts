import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { END, headerOf, paddingOf } from '../../platform/pods/tree/tar.ts';

/** A registry of npm packages that are made on the spot: `npm ci` and `npm install` take them. */

export interface FakePackage {
  name: string;
  version: string;
  dependencies?: Record<string, string>;
  /** Its files beside `package.json`. */
  files: Record<string, string>;
}

export interface FakeRegistry {
  /** Without a slash at the end. */
  url: string;
  /** With its port. */
  host: string;
  /** What it was asked, as method and path. */
  received: string[];
  /** A lock file for a package with these dependencies. It does not say where they are. */
  lockOf(root: Omit<FakePackage, 'files'>): object;
  close(): Promise<void>;
}

/**
 * Listens on 127.0.0.2, because pods reach 127.0.0.1 without their proxy. Rejects where that is no
 * address of the machine.
 */
export async function startRegistry(packages: readonly FakePackage[]): Promise<FakeRegistry> {
  const made = packages.map((each) => ({ ...each, tarball: packed(each) }));
  const received: string[] = [];
  const server = createServer((request, response) => {
    const { method, url: path = '' } = request;
    received.push(`${method} ${path}`);
    const tarball = made.find((each) => path === tarballOf(each))?.tarball;
    const versions = made.filter(({ name }) => path === `/${name}`);
    if (tarball !== undefined) {
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(tarball);
      return;
    }
    response.writeHead(versions.length === 0 ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(versions.length === 0 ? {} : packument(url, versions)));
  });
  server.listen(0, '127.0.0.2');
  await once(server, 'listening');
  const host = `127.0.0.2:${(server.address() as AddressInfo).port}`;
  const url = `http://${host}`;
  return {
    url,
    host,
    received,
    lockOf: (root) => lockOf(root, made),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Made = FakePackage & { tarball: Buffer };

const tarballOf = ({ name, version }: FakePackage) => `/${name}/-/${name}-${version}.tgz`;

const integrityOf = ({ tarball }: Made) =>
  `sha512-${createHash('sha512').update(tarball).digest('base64')}`;

const manifestOf = ({ name, version, dependencies = {} }: Omit<FakePackage, 'files'>) => ({
  name,
  version,
  type: 'module',
  exports: './index.js',
  dependencies,
});

function packed(each: FakePackage): Buffer {
  const files = { 'package.json': JSON.stringify(manifestOf(each)), ...each.files };
  const entries = Object.entries(files).flatMap(([path, text]) => {
    const content = Buffer.from(text);
    const size = content.length;
    const entry = { type: 'file', path: `package/${path}`, size, executable: false } as const;
    return [headerOf(entry), content, paddingOf(size)];
  });
  return gzipSync(Buffer.concat([...entries, END]));
}

function packument(url: string, versions: Made[]) {
  const entryOf = (each: Made) => ({
    ...manifestOf(each),
    dist: { tarball: `${url}${tarballOf(each)}`, integrity: integrityOf(each) },
  });
  return {
    name: versions[0]?.name,
    'dist-tags': { latest: versions.at(-1)?.version },
    versions: Object.fromEntries(versions.map((each) => [each.version, entryOf(each)])),
  };
}

function lockOf(root: Omit<FakePackage, 'files'>, made: Made[]) {
  const { name, version, dependencies = {} } = root;
  const locked = made.map((each) => [
    `node_modules/${each.name}`,
    {
      version: each.version,
      integrity: integrityOf(each),
      ...(each.dependencies && { dependencies: each.dependencies }),
    },
  ]);
  return {
    name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: { '': { name, version, dependencies }, ...Object.fromEntries(locked) },
  };
}
