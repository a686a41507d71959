/** What the log of Odoo says about the tests of modules. */

export interface FailedTest {
  /** As `TestBook.test_long`. */
  test: string;
  /** Where in the repository, with the line, as `books/tests/test_book.py:8`, if the log tells. */
  file?: string;
  /** The last of its traceback. */
  text: string;
}

interface OdooTests {
  /** Undefined where Odoo did not come to them. */
  ran: number | undefined;
  failed: FailedTest[];
}

const MOST_FAILED = 50;
const LONGEST = 2_000;
/** As it begins each line of its log; the others belong to the line before. */
const LINE = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d+ \d+ ([A-Z]+) \S+ (\S+): (.*)$/;

/** `root`: where the files of the repository are for Odoo. */
export function readOdooTests(log: string, root: string): OdooTests {
  let ran: number | undefined;
  const failed: FailedTest[] = [];
  let current: { test: string; lines: string[] } | undefined;
  const end = () => {
    if (current !== undefined && failed.length < MOST_FAILED)
      failed.push(failedTest(current.test, current.lines, root));
    current = undefined;
  };
  for (const line of log.split('\n')) {
    const [, level, , said = ''] = LINE.exec(line) ?? [];
    if (level === undefined) {
      current?.lines.push(line);
      continue;
    }
    end();
    const [, test] = /^(?:FAIL|ERROR): (.{1,300})$/.exec(said) ?? [];
    if (level === 'ERROR' && test !== undefined) current = { test: test.trim(), lines: [] };
    // Once for what is installed, and once more for what is tested after that.
    const [, count] = /^\d+ failed, \d+ error\(s\) of (\d+) tests/.exec(said) ?? [];
    if (count !== undefined) ran = Number(count);
  }
  end();
  return { ran, failed };
}

function failedTest(test: string, lines: string[], root: string): FailedTest {
  const all = lines.join('\n').trim().replaceAll(`${root}/`, '');
  const places = [...lines.join('\n').matchAll(/^ {2}File "([^"\n]{1,500})", line (\d{1,9})/gm)];
  const own = places.findLast(([, path = '']) => path.startsWith(`${root}/`));
  return {
    test,
    ...(own && { file: `${own[1]?.slice(root.length + 1)}:${own[2]}` }),
    text: all.length <= LONGEST ? all : all.slice(-LONGEST),
  };
}

/** What people and agents read at the end of a log. */
export function summaryOf({ ran, failed }: OdooTests): string {
  if (ran === undefined) return 'Odoo did not come to the tests: see what it says above.\n';
  if (failed.length === 0 && ran === 0)
    return 'No test was run: "test_tags" of .guildhall.yml chooses none of those that there are.\n';
  if (failed.length === 0) return `All of ${ran} tests have passed.\n`;
  const each = failed.map(
    ({ test, file, text }) => `\n${test}${file === undefined ? '' : ` (${file})`}\n${text}\n`,
  );
  return `${failed.length} of ${ran} tests have failed:\n${each.join('')}`;
}
