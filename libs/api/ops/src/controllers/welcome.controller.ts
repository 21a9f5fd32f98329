import { ServiceError } from '@carillon/errors';
import { errorAnswer, type ProbeAnswer } from '@carillon/runtime';
import { Controller, Get, Inject, UseInterceptors } from '@nestjs/common';
import { AnswerInterceptor } from '../answer-interceptor.js';
import { OPS_API_OPTIONS, type OpsApiOptions } from '../options.js';
import { WELCOME_HEADERS, welcomePage } from '../welcome/page.js';

/** Start page of a fresh server. */
@Controller()
@UseInterceptors(AnswerInterceptor)
export class WelcomeController {
  constructor(@Inject(OPS_API_OPTIONS) private readonly options: OpsApiOptions) {}

  @Get('/')
  welcome(): ProbeAnswer {
    const { demo = null } = this.options;
    if (demo === null) return errorAnswer(new ServiceError('not_found'));
    return { status: 200, headers: WELCOME_HEADERS, body: welcomePage(demo) };
  }
}
