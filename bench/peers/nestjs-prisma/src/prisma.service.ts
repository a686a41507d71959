import { hash } from 'node:crypto';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/client';

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

@Injectable()
export class PrismaService extends PrismaClient implements OnModuleInit, OnModuleDestroy {
  constructor() {
    super({
      adapter: new PrismaPg(
        { connectionString: process.env.DATABASE_URL, max: 10 },
        { statementNameGenerator: statementName },
      ),
    });
  }

  onModuleInit() {
    return this.$connect();
  }

  onModuleDestroy() {
    return this.$disconnect();
  }
}
