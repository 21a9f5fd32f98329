import { liveAnswer, type ProbeAnswer } from '@carillon/runtime';
import { Controller, Get, UseInterceptors } from '@nestjs/common';
import { AnswerInterceptor } from '../answer-interceptor.js';

@Controller('live')
@UseInterceptors(AnswerInterceptor)
export class LiveController {
  @Get()
  live(): ProbeAnswer {
    return liveAnswer();
  }
}
