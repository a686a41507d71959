import Type, { type Static } from 'typebox';
import { Check } from 'typebox/value';
import { BadArchive } from './read-archive.ts';

/** Of the layout of archives: one that a release cannot read has another number. */
export const FORMAT = 1;

const text = () => Type.String({ maxLength: 1_000 });
const id = () => Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' });
const count = () => Type.Integer({ minimum: 0 });

const table = Type.Object({
  name: text(),
  columns: Type.Array(text(), { maxItems: 2_000 }),
  rows: count(),
  pieces: count(),
});

/** A database: the main one, and after it, if they have one of their own, that of the events of tasks. */
const database = Type.Object({
  migrations: Type.Array(Type.Object({ name: text(), sha256: text() }), { maxItems: 10_000 }),
  tables: Type.Array(table, { maxItems: 10_000 }),
});

const manifestSchema = Type.Object({
  format: Type.Literal(FORMAT),
  id: id(),
  version: text(),
  created_at: text(),
  /** Names the SERVER_SECRET, and is the secret itself only if that was asked for. */
  server_secret: Type.Object({
    key_id: Type.Union([text(), Type.Null()]),
    value: Type.Optional(text()),
  }),
  /** Of the folder of repositories, to which the database is bound. */
  folder_id: Type.Union([id(), Type.Null()]),
  databases: Type.Array(database, { minItems: 1, maxItems: 2 }),
  files: Type.Object({ count: count(), bytes: count(), missing: Type.Array(text()) }),
  repositories: Type.Array(
    Type.Object({
      // Paths follow from these.
      project: id(),
      name: Type.String({ pattern: '^[a-z0-9](?!.*\\.\\.)[a-z0-9._-]{0,99}$' }),
      /** The group of the pieces of its pack; null without objects. */
      pack: Type.Union([text(), Type.Null()]),
      pieces: count(),
    }),
  ),
});

export type Manifest = Static<typeof manifestSchema>;

/** Throws BadArchive. */
export function readManifest(found: unknown): Manifest {
  if (!Check(manifestSchema, found))
    throw new BadArchive('The manifest of this backup is not valid.');
  return found;
}

/** Throws BadArchive for an archive of a later layout. */
export function checkHeader(header: unknown): void {
  const { format, version } = (header ?? {}) as { format?: unknown; version?: unknown };
  if (format === FORMAT) return;
  throw new BadArchive(
    `This backup was made by a version of Guildhall (${JSON.stringify(version)}) whose backups this ` +
      'one cannot read: restore it with that version, or with a later one.',
  );
}
