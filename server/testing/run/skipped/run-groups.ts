import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openPlace, type Place } from './place.ts';

/** Tests that need the same of a machine. */
export interface Group {
  name: string;
  files: string[];
  /** Puts up what its tests need, and returns variables for them; throws what could not be had. */
  prepare(place: Place, note: (text: string) => void): Promise<NodeJS.ProcessEnv>;
}

interface Chosen {
  /** Names of groups: these alone. */
  only: string[] | undefined;
  /** A folder that is to stay. */
  folder: string | undefined;
}

/** Those of the names, in their own order. Throws an Error that lists all names if one is wrong. */
function groupsNamed(groups: readonly Group[], only: string[] | undefined): Group[] {
  const names = groups.map(({ name }) => name);
  for (const name of only ?? [])
    if (!names.includes(name))
      throw new Error(`--only must be one of ${names.join(', ')}, not "${name}"`);
  return groups.filter(({ name }) => only === undefined || only.includes(name));
}

/**
 * Prints what the tests print, and at the end a line for each group. Returns the status to end with:
 * 0 if no test failed and each group that was asked for by name has run, 130 after an interruption.
 * `grace`: milliseconds that what is interrupted has for its end.
 */
export async function runGroups(
  groups: readonly Group[],
  chosen: Chosen,
  grace?: number,
): Promise<number> {
  const wanted = groupsNamed(groups, chosen.only);
  const place = await openPlace(chosen.folder, grace);
  const interrupt = () => {
    if (!place.interrupted) console.error('\nInterrupted: ending what was started …');
    place.interrupt();
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, interrupt);
  const lines: string[] = [];
  let good = true;
  try {
    for (const group of wanted) {
      const began = performance.now();
      const end = await runGroup(group, place).catch((error) => {
        if (!place.interrupted) throw error;
      });
      if (end === undefined || place.interrupted) break;
      if (end.failed || (end.missing && chosen.only !== undefined)) good = false;
      const seconds = Math.round((performance.now() - began) / 1_000);
      lines.push(`${group.name}: ${end.said} (${seconds} s)`, ...end.notes);
    }
  } finally {
    await place.close();
  }
  if (place.interrupted) lines.push('interrupted: what was started has ended');
  console.log(`\n${lines.join('\n')}`);
  if (place.interrupted) return 130;
  return good ? 0 : 1;
}

interface End {
  said: string;
  failed: boolean;
  /** Whether none of its tests has run, for want of what they need. */
  missing: boolean;
  notes: string[];
}

async function runGroup({ name, files, prepare }: Group, place: Place): Promise<End> {
  const notes = new Set<string>();
  const note = (text: string) => notes.add(`  ${text}`);
  console.log(`${name}: getting what its tests need …`);
  let given: NodeJS.ProcessEnv;
  try {
    given = await prepare(place, note);
  } catch (error) {
    const said = `not run: ${(error as Error).message}`;
    return { said, failed: false, missing: true, notes: [...notes] };
  }
  const setup = '--test-global-setup=server/testing/database/global-setup.ts';
  const args = ['--test', '--test-concurrency=1', setup, ...files];
  const { out, status } = await place.show(process.execPath, args, given);
  for (const [, reason] of out.matchAll(/^\s*﹣ .* # (.*)$/gm)) note(`skipped: ${reason}`);
  const left = await place.clear();
  for (const command of left) note(`left behind, and ended: ${command.slice(0, 200)}`);
  for (const each of await readdir(join(place.own, 'tmp')))
    if (each.startsWith('guildhall-')) note(`left behind: ${each}`);
  const count = (what: string) => Number(new RegExp(`^ℹ ${what} (\\d+)$`, 'm').exec(out)?.[1] ?? 0);
  const [passed, failures] = [count('pass'), count('fail') + count('cancelled')];
  const counts = `${passed} passed, ${failures} failed, ${count('skipped')} skipped`;
  const cut = status !== 0 && failures === 0;
  return {
    said: cut ? `${counts}, and it ended with ${status}: see above` : counts,
    failed: status !== 0 || left.length > 0,
    missing: passed === 0,
    notes: [...notes],
  };
}
