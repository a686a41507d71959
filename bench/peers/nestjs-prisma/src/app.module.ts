import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ApiKeyGuard } from './auth/api-key.guard';
import { RightsService } from './auth/rights.service';
import { InvitationsController } from './invitations/invitations.controller';
import { InvitationsService } from './invitations/invitations.service';
import { PlansController } from './plans/plans.controller';
import { PlansService } from './plans/plans.service';
import { PrismaService } from './prisma.service';
import { BuiltInRoles } from './projects/built-in-roles';
import { ProjectsController } from './projects/projects.controller';
import { ProjectsService } from './projects/projects.service';
import { TeamsController } from './teams/teams.controller';
import { TeamsService } from './teams/teams.service';

@Module({
  controllers: [ProjectsController, InvitationsController, TeamsController, PlansController],
  providers: [
    PrismaService,
    BuiltInRoles,
    RightsService,
    ProjectsService,
    InvitationsService,
    TeamsService,
    PlansService,
    { provide: APP_GUARD, useClass: ApiKeyGuard },
  ],
})
export class AppModule {}
