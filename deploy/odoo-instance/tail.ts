/** Characters that are kept of what Odoo says. */
const MOST = 16_000;

/**
 * The part of an output that says what went wrong: from its first error or traceback on, as far as
 * it fits, otherwise its end.
 */
export function tailOf() {
  let last = '';
  let errors: string | undefined;
  return {
    add(text: string): void {
      const before = last;
      last = (before + text).slice(-MOST);
      if (errors !== undefined) {
        errors = (errors + text).slice(0, MOST);
        return;
      }
      const all = before + text;
      const at = all.search(
        /^(?:\S+ \S+ \d+ (?:ERROR|CRITICAL) |Traceback \(most recent call last\))/m,
      );
      if (at >= 0) errors = all.slice(at).slice(0, MOST);
    },
    text: (): string => (errors ?? last).trim(),
  };
}
