import { acceptTrafficAnswer, ADMISSION, type Admission, type ProbeAnswer } from '@carillon/runtime';
import { Controller, Get, Inject, UseInterceptors } from '@nestjs/common';
import { AnswerInterceptor } from '../answer-interceptor.js';

@Controller('accept-traffic')
@UseInterceptors(AnswerInterceptor)
export class AcceptTrafficController {
  constructor(@Inject(ADMISSION) private readonly admission: Admission) {}

  @Get()
  acceptTraffic(): ProbeAnswer {
    return acceptTrafficAnswer(this.admission.state(), this.admission.decision);
  }
}
