import { reasonOf as inWords } from '../../db/database/database.ts';

/** What doctor says about one thing, on one line. */
export interface Finding {
  name: string;
  level: 'ok' | 'warning' | 'failure';
  /** What was found, and what to do where that is not right. */
  text: string;
}

export const ok = (name: string, text: string): Finding => ({ name, level: 'ok', text });
export const warning = (name: string, text: string): Finding => ({ name, level: 'warning', text });
export const failure = (name: string, text: string): Finding => ({ name, level: 'failure', text });

/** An error in the words of the machine, on one line. */
export const reasonOf = (error: unknown): string =>
  inWords(error).replaceAll(/\s+/g, ' ').trim().slice(0, 500);
