import { RepositoryError } from '../../code/index.ts';
import { shownPath } from './commit-bounds.ts';

/** Each takes a process of git, which reads all files again. */
const MOST_REPEATS = 20;

/**
 * Adds files with `add`, and returns the paths of those that are not in the encoding that
 * `.gitattributes` gives them. Git ends at the first of them and has added none, so the others are
 * added again without it. Throws RepositoryError where these are too many.
 */
export async function addEncoded(
  paths: readonly string[],
  add: (paths: readonly string[]) => Promise<void>,
): Promise<string[]> {
  const refused = new Set<string>();
  for (let repeats = 0; ; repeats += 1) {
    const rest = paths.filter((path) => !refused.has(path));
    const name = await add(rest).then(
      () => undefined,
      (error) => {
        const found = nameIn(error.stderr);
        if (found === undefined) throw error;
        return found;
      },
    );
    if (name === undefined) return [...refused];
    const named = rest.filter((path) => namedByGit(path) === name);
    if (repeats === MOST_REPEATS || named.length === 0) throw notEncoded(name);
    for (const path of named) refused.add(path);
  }
}

const MESSAGES = [
  /^fatal: failed to encode '(.*)' from \S+ to UTF-8$/ms,
  /^fatal: BOM is (?:required|prohibited) in '(.*)' if encoded as \S+$/ms,
  /^fatal: encoding '(.*)' from \S+ to \S+ and back is not the same$/ms,
];

/** The file that git could not encode, as it says. */
const nameIn = (said = ''): string | undefined =>
  MESSAGES.map((message) => message.exec(said)?.[1]).find((name) => name !== undefined);

/** A path, whose characters stand for bytes, as git writes it in a message. */
const namedByGit = (path: string): string =>
  Buffer.from(path.replaceAll(CONTROL, '?'), 'latin1').toString('utf8');
// biome-ignore lint/suspicious/noControlCharactersInRegex: Git leaves tabs and line ends as they are.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

const notEncoded = (name: string) =>
  new RepositoryError(
    `More than ${MOST_REPEATS} files, such as ${shownPath(Buffer.from(name).toString('latin1'))}, ` +
      'are not in the encoding that .gitattributes gives them as working-tree-encoding. Nothing ' +
      'was committed; all of it is still in the pod. Let the agent correct .gitattributes.',
  );

/** What git does not even begin with; it names no file. */
export function withoutEncoding(error: Error & { stderr?: string }): never {
  if (!error.stderr?.includes('true/false are no valid working-tree-encodings')) throw error;
  throw new RepositoryError(
    'A file .gitattributes has working-tree-encoding without the name of an encoding, and Git ' +
      'reads and writes no file that this is for. Let the agent correct it, or push a commit that ' +
      'does. What is in the pod stays there.',
    { cause: error },
  );
}
