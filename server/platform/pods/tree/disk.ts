import * as fs from 'node:fs';
import { promisify } from 'node:util';

type Later<T> = T | Promise<T>;

/**
 * Calls to the file system for trees of many small files, by numbers of what is open. Those of a
 * process that has nothing else to do cost a tenth when it waits for each of them.
 */
export interface Disk {
  open(path: string | Buffer, flags: number, mode?: number): Later<number>;
  close(fd: number): Later<void>;
  stat(fd: number): Later<fs.Stats>;
  /** Returns how many bytes it has read. */
  read(fd: number, into: Buffer, at: number, length: number, position: number): Later<number>;
  /** Returns how many bytes it has written. */
  write(fd: number, from: Buffer, at: number): Later<number>;
  mkdir(path: string): Later<unknown>;
  symlink(target: string, path: string): Later<void>;
  unlink(path: Buffer): Later<void>;
  rmdir(path: Buffer): Later<void>;
  rename(from: Buffer, to: Buffer): Later<void>;
}

const [open, close, stat] = [promisify(fs.open), promisify(fs.close), promisify(fs.fstat)];
const [read, write] = [promisify(fs.read), promisify(fs.write)];
const [mkdir, symlink, rename] = [promisify(fs.mkdir), promisify(fs.symlink), promisify(fs.rename)];
const [unlink, rmdir] = [promisify(fs.unlink), promisify(fs.rmdir)];

/** Others do something meanwhile. */
export const SHARED: Disk = {
  open,
  close,
  stat,
  read: async (...args) => (await read(...args)).bytesRead,
  write: async (fd, from, at) => (await write(fd, from, at)).bytesWritten,
  mkdir,
  symlink: (target, path) => symlink(target, path),
  unlink,
  rmdir,
  rename,
};

/** Everything else waits. */
export const ALONE: Disk = {
  open: fs.openSync,
  close: fs.closeSync,
  stat: (fd) => fs.fstatSync(fd),
  read: fs.readSync,
  write: (fd, from, at) => fs.writeSync(fd, from, at),
  mkdir: (path) => fs.mkdirSync(path),
  symlink: (target, path) => fs.symlinkSync(target, path),
  unlink: fs.unlinkSync,
  rmdir: (path) => fs.rmdirSync(path),
  rename: fs.renameSync,
};
