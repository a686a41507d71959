/** A line of the palette: a page, an act or a task. */
export interface Entry {
  key: string;
  label: string;
  /** What it is, beside it. */
  kind: string;
  /** Of a task: what was said, below it. */
  excerpt?: string | undefined;
  go: () => void;
}

/** The words of what a person looks for, in lower case. */
export const wordsOf = (text: string): string[] =>
  text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Those whose name or kind has all the words, the ones that begin with the text first. */
export function fitting(entries: readonly Entry[], text: string): Entry[] {
  const words = wordsOf(text);
  const begins = text.trim().toLowerCase();
  return entries
    .filter(({ label, kind }) => {
      const all = `${label} ${kind}`.toLowerCase();
      return words.length > 0 ? words.every((word) => all.includes(word)) : all.includes(begins);
    })
    .sort((a, b) => Number(starts(b, begins)) - Number(starts(a, begins)));
}

const starts = ({ label }: Entry, begins: string): boolean =>
  begins !== '' && label.toLowerCase().startsWith(begins);
