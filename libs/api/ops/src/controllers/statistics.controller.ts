import { ServiceError } from '@carillon/errors';
import { errorAnswer, jsonAnswer, type ProbeAnswer, type Statistics } from '@carillon/runtime';
import { Controller, Get, Inject, UseInterceptors } from '@nestjs/common';
import { AnswerInterceptor } from '../answer-interceptor.js';
import { OPS_API_OPTIONS, STATISTICS, type OpsApiOptions } from '../options.js';

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
