/** A patch as git writes it, read file by file. */

export type Side = 'old' | 'new';

export interface PatchLine {
  change: 'same' | 'added' | 'removed';
  text: string;
  /** Its numbers on the sides that have it, from 1. */
  old?: number;
  new?: number;
  /** The part that differs from the line that it replaces, or that replaces it. */
  mark?: readonly [from: number, to: number];
  /** The file ends with this line, and without a line end. */
  unended?: true;
}

export interface Hunk {
  /** What git writes behind the numbers, such as the function that the lines are in. */
  heading: string;
  lines: PatchLine[];
}

export interface PatchFile {
  /** Of each side; both for a file that is on one side alone. */
  paths: Record<Side, string>;
  /** What was compared with what: as long as it is the same, so is the difference. */
  content: string;
  hunks: Hunk[];
}

const NUMBERS = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

export function filesOfPatch(patch: string): PatchFile[] {
  const files: PatchFile[] = [];
  let file: PatchFile | undefined;
  let hunk: Hunk | undefined;
  let next: Record<Side, number> = { old: 0, new: 0 };
  /** Lines of this hunk that are still to come. */
  let left: Record<Side, number> = { old: 0, new: 0 };
  const take = (side: Side): number => {
    left[side] -= 1;
    next[side] += 1;
    return next[side] - 1;
  };
  for (const line of patch.split('\n')) {
    if (hunk !== undefined && (left.old > 0 || left.new > 0)) {
      const text = line.slice(1);
      if (line.startsWith('+')) hunk.lines.push({ change: 'added', text, new: take('new') });
      else if (line.startsWith('-')) hunk.lines.push({ change: 'removed', text, old: take('old') });
      else if (line.startsWith('\\')) endsHere(hunk);
      else hunk.lines.push({ change: 'same', text, old: take('old'), new: take('new') });
      continue;
    }
    if (line.startsWith('\\') && hunk !== undefined) endsHere(hunk);
    const numbers = NUMBERS.exec(line);
    if (line.startsWith('diff --git ')) {
      const path = bothPaths(line.slice('diff --git '.length));
      file = { paths: { old: path, new: path }, content: line, hunks: [] };
      files.push(file);
      hunk = undefined;
    } else if (file !== undefined && numbers !== null) {
      const [, from, old = '1', to, added = '1', heading = ''] = numbers;
      next = { old: Number(from), new: Number(to) };
      left = { old: Number(old), new: Number(added) };
      hunk = { heading, lines: [] };
      file.hunks.push(hunk);
    } else if (file !== undefined && hunk === undefined) readHead(file, line);
  }
  for (const { hunks } of files) for (const { lines } of hunks) markWords(lines);
  return files;
}

function endsHere({ lines }: Hunk): void {
  const last = lines.at(-1);
  if (last !== undefined) last.unended = true;
}

/** A line before the first hunk of a file. */
function readHead(file: PatchFile, line: string): void {
  const { paths } = file;
  const after = (word: string) => unquoted(line.slice(word.length).replace(/\t$/, ''));
  if (line.startsWith('index ')) file.content = line;
  else if (line.startsWith('rename from ')) paths.old = after('rename from ');
  else if (line.startsWith('rename to ')) paths.new = after('rename to ');
  else if (line.startsWith('--- ') && line !== '--- /dev/null') paths.old = after('--- ').slice(2);
  else if (line.startsWith('+++ ') && line !== '+++ /dev/null') paths.new = after('+++ ').slice(2);
  // What is there on one side only has one name.
  if (line === '--- /dev/null') paths.old = paths.new;
  if (line === '+++ /dev/null') paths.new = paths.old;
}

/** The name in `a/NAME b/NAME`, which is the same twice, or else stands in later lines, too. */
function bothPaths(names: string): string {
  if (names.startsWith('"')) return unquoted(names.slice(0, (names.length - 1) / 2)).slice(2);
  return names.slice(2, (names.length - 1) / 2);
}

const ESCAPES: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** Git quotes a name with unusual characters, as C does: byte by byte. */
function unquoted(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"')) return name;
  const bytes: number[] = [];
  for (const [part] of name.slice(1, -1).matchAll(/\\[0-7]{3}|\\.|[^\\]+/gs)) {
    if (/^\\[0-7]/.test(part)) bytes.push(Number.parseInt(part.slice(1), 8));
    else if (part.startsWith('\\')) bytes.push(ESCAPES[part.charAt(1)] ?? part.charCodeAt(1));
    else bytes.push(...new TextEncoder().encode(part));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

/** Where as many lines are added as are removed before them, each one replaces one. */
function markWords(lines: PatchLine[]): void {
  for (let at = 0; at < lines.length; at++) {
    const removed = countOf(lines, at, 'removed');
    const added = countOf(lines, at + removed, 'added');
    if (removed > 0 && removed === added)
      for (let each = at; each < at + removed; each++)
        markBetween(lines[each] as PatchLine, lines[each + removed] as PatchLine);
    at += Math.max(removed + added - 1, 0);
  }
}

function countOf(lines: readonly PatchLine[], from: number, change: string): number {
  let to = from;
  while (lines[to]?.change === change) to++;
  return to - from;
}

/** Beyond that, looking for what two lines share takes longer than it helps. */
const LONGEST_MARKED = 1_000;

function markBetween(removed: PatchLine, added: PatchLine): void {
  const [a, b] = [removed.text, added.text];
  const shortest = Math.min(a.length, b.length);
  if (shortest === 0 || Math.max(a.length, b.length) > LONGEST_MARKED) return;
  let start = 0;
  while (start < shortest && a[start] === b[start]) start++;
  let end = 0;
  while (end < shortest - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  // Two lines that share little are two lines.
  if ((start + end) * 3 < shortest) return;
  removed.mark = [start, a.length - end];
  added.mark = [start, b.length - end];
}
