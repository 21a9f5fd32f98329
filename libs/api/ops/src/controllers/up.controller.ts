import {
  HEALTH,
  PROCESS_STATE,
  type Health,
  type ProbeAnswer,
  type ProcessState,
  upOfProcess,
} from '@carillon/runtime';
import { Controller, Get, Inject, UseInterceptors } from '@nestjs/common';
import { AnswerInterceptor } from '../answer-interceptor.js';

@Controller('up')
@UseInterceptors(AnswerInterceptor)
export class UpController {
  constructor(
    @Inject(PROCESS_STATE) private readonly process: ProcessState,
    @Inject(HEALTH) private readonly health: Health,
  ) {}

  @Get()
  up(): Promise<ProbeAnswer> {
    return upOfProcess({ process: this.process, health: this.health });
  }
}
