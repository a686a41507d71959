/**
 * Control characters but for tabs and carriage returns, and those of Unicode that cannot be seen or
 * that change the order in which a line is shown (TR 36, "Trojan Source"). Joiners are left out:
 * Persian, Indic scripts and emoji need them.
 */
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000A-\u000C\u000E-\u001F\u007F\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF]/g;

/** The text with each of these as its number, such as [U+202E]: who approves code sees all of it. */
export const inFull = (text: string): string =>
  text.replace(
    HIDDEN,
    (character) => `[U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
  );
