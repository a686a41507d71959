import { Controller, Get, Param, ParseUUIDPipe } from '@nestjs/common';
import { type Caller, CurrentCaller } from '../auth/caller';
import { InvitationsService } from './invitations.service';

@Controller('api/organizations/:orgId/invitations')
export class InvitationsController {
  constructor(private readonly invitations: InvitationsService) {}

  @Get()
  list(@CurrentCaller() caller: Caller, @Param('orgId', ParseUUIDPipe) orgId: string) {
    return this.invitations.list(caller, orgId);
  }
}
