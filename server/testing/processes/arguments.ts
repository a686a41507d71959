/** Parsing and checking the options of scripts. */
/** An option that cannot be used: printed as a sentence, with exit status 2. */
export class UsageError extends Error {}

/**
 * Returns the options that `read` parses. --help prints the help and exits with 0; an invalid
 * option prints a sentence and exits with 2.
 */
export function orUsage<Options>(help: string, read: () => Options): Options {
  if (process.argv.slice(2).some((each) => each === '--help' || each === '-h')) {
    process.stdout.write(help);
    process.exit(0);
  }
  try {
    return read();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!(error instanceof UsageError) && !code?.startsWith('ERR_PARSE_ARGS')) throw error;
    // The rest of Node's message is about positional arguments, of which there are none.
    const sentence = message.split(/\.(?:\s|$)/)[0];
    process.stderr.write(`${sentence}. Add --help for usage.\n`);
    process.exit(2);
  }
}

/** The number of an option, within bounds. Call it inside `orUsage`. */
export function numberOf(
  option: string,
  text: string,
  { from, to, whole = true }: { from: number; to: number; whole?: boolean },
): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= from && value <= to) || (whole && !Number.isInteger(value)))
    throw new UsageError(
      `${option} must be a ${whole ? 'whole ' : ''}number from ${from} to ${to}, not "${text}"`,
    );
  return value;
}

/** The address of an option. Call it inside `orUsage`. */
export function urlOf(option: string, text: string): string {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
    throw new UsageError(
      `${option} must be an address such as http://127.0.0.1:8080/, not "${text}"`,
    );
  return text;
}
