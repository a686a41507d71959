/** Characters at which one or another reader sees a new line. */
const LINE_ENDS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

/**
 * A text with `> ` before each of its lines, so that no part of it can be taken for ours: what we
 * say never begins with that. `limit`: characters that are kept of it.
 */
export function quoted(text: string, limit = Number.POSITIVE_INFINITY): string {
  const kept = text.length > limit ? text.slice(0, limit).toWellFormed() : text;
  const lines = kept.split(LINE_ENDS).map((line) => `> ${line}`.trimEnd());
  return lines.join('\n');
}

/** The first line of a text that says something, cut at 150 characters, within quotes. */
export function firstLine(text: string): string {
  const line = text.split(LINE_ENDS).find((one) => one.trim() !== '') ?? '';
  const cut = line.trim().slice(0, 150).toWellFormed();
  return JSON.stringify(cut.length < line.trim().length ? `${cut}…` : cut);
}

/** A name or title within quotes, on one line. */
export const named = (name: string | null): string => JSON.stringify(name ?? 'a person');
