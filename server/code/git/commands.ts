import { NO_COMMIT } from '../repositories/git.ts';
import { badCommands } from './errors.ts';

/** One reference that a push wants to change. */
export interface Command {
  ref: string;
  deletes: boolean;
  /** The commits, before and after. */
  from: string;
  to: string;
}

const SIZE = /^[0-9a-f]{4}$/;
const COMMAND = /^([0-9a-f]{40}) ([0-9a-f]{40}) ([^\0]+)/;
const SHALLOW = /^shallow [0-9a-f]{40}$/;

/**
 * The references at the beginning of a push (gitprotocol-pack, "Reference Update Request"), each
 * character a byte; undefined as long as they are not complete. Errors: 400 bad_commands.
 */
export function readCommands(begun: Buffer): Command[] | undefined {
  const commands: Command[] = [];
  for (let at = 0; at + 4 <= begun.length; ) {
    const size = begun.toString('latin1', at, at + 4);
    if (!SIZE.test(size)) throw badCommands();
    const length = Number.parseInt(size, 16);
    if (length === 0) return commands;
    if (length <= 4) throw badCommands();
    if (at + length > begun.length) return undefined;
    const line = begun.toString('latin1', at + 4, at + length).replace(/\n$/, '');
    const [, from = '', to = '', ref] = COMMAND.exec(line) ?? [];
    if (ref !== undefined) commands.push({ ref, deletes: to === NO_COMMIT, from, to });
    else if (!SHALLOW.test(line)) throw badCommands();
    at += length;
  }
  return undefined;
}
