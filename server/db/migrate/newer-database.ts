/** What migrated the database is a later version than this one, which does not know what it has. */
export class NewerDatabase extends Error {
  constructor(what: string) {
    super(`The database is newer than this Guildhall: ${what}.`);
  }
}

/** The same of a migration that this version does not know. */
export const unknownMigration = (name: string): NewerDatabase =>
  new NewerDatabase(`${name} was applied to it but is unknown here`);
