import { constants } from 'node:fs';
import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeLargeTree } from '../../platform/pods/tree/remove-large-tree.ts';
import type { InstanceCode } from './instance-driver.ts';
import type { CodeOrder, InstanceOrder, InstanceReport } from './instance-order.ts';

/**
 * The code of an instance: each commit is a folder beside its own files, which git fills and nobody
 * changes. Its program sees it through the sandbox only.
 */

const CODE = 'code';

/** Writes what the program of an instance is told. Without code, it is told nothing. */
export async function layOut(
  root: string,
  files: { order: string; report: string },
  code: InstanceCode | undefined,
): Promise<void> {
  const before = await readReport(files.report);
  await rm(files.report, { force: true });
  if (code === undefined) return rm(files.order, { force: true });
  const folder = join(root, CODE);
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const placed = async (of: CodeOrder | undefined): Promise<CodeOrder | undefined> =>
    of && { ...of, folder: await place(folder, of.commit, code) };
  const order: InstanceOrder = {
    ...code.order,
    code: await placed(code.order.code),
    base: await placed(code.order.base),
  };
  // Without a whole start before this one, it is not known whose modules the database has.
  if (before !== undefined && before.unavailable !== true) {
    const needed = [order.code?.commit, order.base?.commit, before.commit];
    for (const name of await readdir(folder))
      if (!needed.includes(name)) await removeLargeTree(join(folder, name));
  }
  await writeFile(`${files.order}.new`, JSON.stringify(order));
  await rename(`${files.order}.new`, files.order);
}

/** Complete or not there at all. */
async function place(folder: string, commit: string, { fill }: InstanceCode): Promise<string> {
  const path = join(folder, commit);
  const there = await readdir(path).then(
    () => true,
    () => false,
  );
  if (there) return path;
  const making = `${path}.new`;
  await removeLargeTree(making);
  await mkdir(making, { mode: 0o755 });
  await fill(commit, making);
  await rename(making, path);
  return path;
}

/** Bytes of a report. */
const MOST = 128 * 1024;

/** Undefined for none, and for one that cannot be read. */
export async function readReport(path: string): Promise<InstanceReport | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(MOST), 0, MOST, 0);
    return JSON.parse(buffer.toString('utf8', 0, bytesRead)) as InstanceReport;
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}
