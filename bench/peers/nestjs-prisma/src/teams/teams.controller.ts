import { Body, Controller, Param, ParseUUIDPipe, Put } from '@nestjs/common';
import { type Caller, CurrentCaller } from '../auth/caller';
import { TeamsService } from './teams.service';
import { UpdateTeamDto } from './update-team.dto';

@Controller('api/organizations/:orgId/teams')
export class TeamsController {
  constructor(private readonly teams: TeamsService) {}

  @Put(':teamId')
  update(
    @CurrentCaller() caller: Caller,
    @Param('orgId', ParseUUIDPipe) orgId: string,
    @Param('teamId', ParseUUIDPipe) teamId: string,
    @Body() changes: UpdateTeamDto,
  ) {
    return this.teams.update(caller, orgId, teamId, changes);
  }
}
