import { ServiceError } from '@carillon/errors';
import { errorAnswer, jsonAnswer, type ProbeAnswer } from '@carillon/runtime';
import { Controller, Get, Inject, UseInterceptors } from '@nestjs/common';
import { AnswerInterceptor } from '../answer-interceptor.js';
import { OPS_API_OPTIONS, STATISTICS, type OpsApiOptions } from '../options.js';
import type { Statistics } from '../statistics.js';

@Controller()
@UseInterceptors(AnswerInterceptor)
export class StatisticsController {
  constructor(
    @Inject(OPS_API_OPTIONS) private readonly options: OpsApiOptions,
    @Inject(STATISTICS) private readonly statistics: Statistics,
  ) {}

  @Get(['stats', 'operator/stats'])
  async read(): Promise<ProbeAnswer> {
    if (!this.options.usage_enabled) return errorAnswer(new ServiceError('not_found'));
    return jsonAnswer(await this.statistics.read());
  }
}
