import { Controller, Get, Param, ParseUUIDPipe } from '@nestjs/common';
import { type Caller, CurrentCaller } from '../auth/caller';
import { ProjectsService } from './projects.service';

@Controller('api/projects')
export class ProjectsController {
  constructor(private readonly projects: ProjectsService) {}

  @Get(':projectId/people')
  people(@CurrentCaller() caller: Caller, @Param('projectId', ParseUUIDPipe) projectId: string) {
    return this.projects.people(caller, projectId);
  }
}
