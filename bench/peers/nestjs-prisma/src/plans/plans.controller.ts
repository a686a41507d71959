import { Controller, HttpCode, Param, ParseUUIDPipe, Post } from '@nestjs/common';
import { type Caller, CurrentCaller } from '../auth/caller';
import { PlansService } from './plans.service';

@Controller('api/tasks/:taskId/plan')
export class PlansController {
  constructor(private readonly plans: PlansService) {}

  @Post('approve')
  @HttpCode(200)
  approve(@CurrentCaller() caller: Caller, @Param('taskId', ParseUUIDPipe) taskId: string) {
    return this.plans.approve(caller, taskId);
  }
}
