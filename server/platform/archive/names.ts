/**
 * An archive is a tar file and a line after its end, which has the SHA-256 of all before it. Every
 * entry is a file with one of these names; nothing in an archive is a path of this machine.
 */

/** The first entry, so that another file is recognised before it is read. */
export const HEADER = 'guildhall-backup.json';
/** The last. */
export const MANIFEST = 'manifest.json';

const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const PIECE = '\\d{6}';
const NAMES = [
  HEADER,
  MANIFEST,
  `checksums/${PIECE}`,
  // A table of the database, or of that of the events.
  `(?:database|events)/[a-z_][a-z0-9_]{0,62}/${PIECE}`,
  `files/${ID}/${ID}`,
  // A repository of a project: where its branches are, and its objects, which may need three attempts.
  `(?:refs|objects-[123])/${ID}/[a-z0-9][a-z0-9._-]{0,99}/${PIECE}`,
].map((name) => new RegExp(`^${name.replaceAll('.json', '\\.json')}$`));

export const isName = (name: string): boolean =>
  NAMES.some((one) => one.test(name)) && !name.includes('..');

/** What the pieces of one stream have in common. */
export const groupOf = (name: string): string => name.slice(0, name.lastIndexOf('/'));

export const pieceOf = (group: string, number: number): string =>
  `${group}/${String(number).padStart(6, '0')}`;

/** Entries between two lists of their checksums. */
export const LISTED_TOGETHER = 1_000;

export interface Checksum {
  name: string;
  size: number;
  sha256: string;
}

/** The line after the end of the tar file. */
export const trailerOf = (sha256: string): Buffer => Buffer.from(`\nguildhall ${sha256}\n`);
export const TRAILER_BYTES = trailerOf('0'.repeat(64)).length;
