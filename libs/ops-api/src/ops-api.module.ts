import {
  HISTORY_HEALTH_SOURCE,
  NO_HISTORY,
  NO_SOCKETS,
  OCCUPANCY_SOURCE,
  type HistoryHealthSource,
  type OccupancySource,
} from '@carillon/runtime';
import { Module, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import { AnswerInterceptor } from './answer-interceptor.js';
import { AcceptTrafficController } from './controllers/accept-traffic.controller.js';
import { LiveController } from './controllers/live.controller.js';
import { StatisticsController } from './controllers/statistics.controller.js';
import { UpAppController } from './controllers/up-app.controller.js';
import { UpController } from './controllers/up.controller.js';
import { UsageController } from './controllers/usage.controller.js';
import { OPS_API_OPTIONS, STATISTICS, type OpsApiOptions, type OpsRoute } from './options.js';
import { Statistics } from './statistics.js';

const CONTROLLERS: Record<OpsRoute, Type> = {
  live: LiveController,
  'accept-traffic': AcceptTrafficController,
  up: UpController,
  'up-app': UpAppController,
  usage: UsageController,
  stats: StatisticsController,
};

/** Without a source, a process holds no sockets or keeps no history, and the statistics say so. */
const statisticsProvider: Provider = {
  provide: STATISTICS,
  useFactory: (options: OpsApiOptions, occupancy?: OccupancySource, history?: HistoryHealthSource) =>
    new Statistics(options.server_role, occupancy ?? NO_SOCKETS, history ?? NO_HISTORY),
  inject: [
    OPS_API_OPTIONS,
    { token: OCCUPANCY_SOURCE, optional: true },
    { token: HISTORY_HEALTH_SOURCE, optional: true },
  ],
};

/** Probes and statistics of a process. Needs `RuntimeModule`; routes not asked for do not exist. */
@Module({})
export class OpsApiModule {
  static register(options: OpsApiOptions): DynamicModule {
    return {
      module: OpsApiModule,
      imports: options.imports ?? [],
      controllers: [...new Set(options.routes)].map((route) => CONTROLLERS[route]),
      providers: [{ provide: OPS_API_OPTIONS, useValue: options }, statisticsProvider, AnswerInterceptor],
    };
  }
}
