import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Role } from '../generated/client';
import { PrismaService } from '../prisma.service';

/** The two roles that no row of a person points to. They never change, so they are read once. */
@Injectable()
export class BuiltInRoles implements OnModuleInit {
  owner!: Role;
  projectAdmin!: Role;

  constructor(private readonly prisma: PrismaService) {}

  async onModuleInit() {
    const role = (id: string) => this.prisma.role.findUniqueOrThrow({ where: { id } });
    this.owner = await role('00000000-0000-4000-8000-000000000001');
    this.projectAdmin = await role('00000000-0000-4000-8000-000000000012');
  }
}
