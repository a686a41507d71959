import { hash } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/client.js';

const names = new Map<string, string>();

// With a name, PostgreSQL parses a statement once per connection. The adapter leaves naming to its
// user.
function statementName({ sql }: { sql: string }): string {
  let name = names.get(sql);
  if (name === undefined) {
    name = hash('sha1', sql);
    names.set(sql, name);
  }
  return name;
}

export const prisma = new PrismaClient({
  adapter: new PrismaPg(
    { connectionString: process.env.DATABASE_URL, max: 10 },
    { statementNameGenerator: statementName },
  ),
});

const role = (id: string) => prisma.role.findUniqueOrThrow({ where: { id } });

/** The two roles that no row of a person points to. They never change, so they are read once. */
export const builtInRoles = {
  owner: await role('00000000-0000-4000-8000-000000000001'),
  projectAdmin: await role('00000000-0000-4000-8000-000000000012'),
};
