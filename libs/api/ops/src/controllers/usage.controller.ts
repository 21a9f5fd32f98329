import { ServiceError } from '@carillon/errors';
import { errorAnswer, jsonAnswer, type ProbeAnswer, usageBody } from '@carillon/runtime';
import { Controller, Get, Inject, UseInterceptors } from '@nestjs/common';
import { AnswerInterceptor } from '../answer-interceptor.js';
import { OPS_API_OPTIONS, type OpsApiOptions } from '../options.js';

@Controller('usage')
@UseInterceptors(AnswerInterceptor)
export class UsageController {
  constructor(@Inject(OPS_API_OPTIONS) private readonly options: OpsApiOptions) {}

  @Get()
  usage(): ProbeAnswer {
    if (!this.options.usage_enabled) return errorAnswer(new ServiceError('not_found'));
    return jsonAnswer(usageBody());
  }
}
