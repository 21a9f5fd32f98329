import {
  HEALTH,
  PROCESS_STATE,
  type Health,
  type ProbeAnswer,
  type ProcessState,
  upOfApp,
  type AppLookup,
} from '@carillon/runtime';
import { Controller, Get, Inject, Param, UseInterceptors } from '@nestjs/common';
import { AnswerInterceptor } from '../answer-interceptor.js';
import { APP_LOOKUP, OPS_API_OPTIONS, type OpsApiOptions } from '../options.js';

@Controller('up')
@UseInterceptors(AnswerInterceptor)
export class UpAppController {
  constructor(
    @Inject(PROCESS_STATE) private readonly process: ProcessState,
    @Inject(HEALTH) private readonly health: Health,
    @Inject(APP_LOOKUP) private readonly apps: AppLookup,
    @Inject(OPS_API_OPTIONS) private readonly options: OpsApiOptions,
  ) {}

  @Get(':appId')
  upApp(@Param('appId') appId: string): Promise<ProbeAnswer> {
    const state = { process: this.process, health: this.health };
    return upOfApp(appId, state, this.apps, this.options.health_check_timeout_ms);
  }
}
