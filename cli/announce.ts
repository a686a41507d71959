import type { Cli } from './command.ts';

interface Announcement {
  /** One sentence that says what runs now. */
  sentence: string;
  /** What programs read. */
  result: Record<string, unknown>;
  /** What people read. */
  text: string;
}

/**
 * Says that a command runs which does not end by itself: to people in a terminal as text, elsewhere
 * as a line of JSON like those of the log, which may follow in the same file; with `--json` as one
 * document.
 */
export function announce(
  { stdout, print }: Pick<Cli, 'stdout' | 'print'>,
  json: boolean | undefined,
  { sentence, result, text }: Announcement,
): void {
  if (json || isTerminal(stdout)) {
    print(json, result, text);
    return;
  }
  stdout.write(`${JSON.stringify({ level: 30, time: Date.now(), msg: sentence, ...result })}\n`);
}

const isTerminal = (stream: NodeJS.WritableStream): boolean =>
  'isTTY' in stream && stream.isTTY === true;
