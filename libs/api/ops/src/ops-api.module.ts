import { APP_REGISTRY } from '@carillon/app-registry';
import type { Config } from '@carillon/config';
import {
  HISTORY_HEALTH_SOURCE,
  NO_HISTORY,
  NO_SOCKETS,
  OCCUPANCY_SOURCE,
  optional,
  provider,
  Statistics,
} from '@carillon/runtime';
import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { AnswerInterceptor } from './answer-interceptor.js';
import { AcceptTrafficController } from './controllers/accept-traffic.controller.js';
import { LiveController } from './controllers/live.controller.js';
import { StatisticsController } from './controllers/statistics.controller.js';
import { UpAppController } from './controllers/up-app.controller.js';
import { UpController } from './controllers/up.controller.js';
import { UsageController } from './controllers/usage.controller.js';
import { WelcomeController } from './controllers/welcome.controller.js';
import { APP_LOOKUP, OPS_API_OPTIONS, STATISTICS, type OpsApiOptions, type OpsRoute } from './options.js';
import { demoOf } from './welcome/demo.js';

const CONTROLLERS: Record<OpsRoute, Type> = {
  live: LiveController,
  'accept-traffic': AcceptTrafficController,
  up: UpController,
  'up-app': UpAppController,
  usage: UsageController,
  stats: StatisticsController,
  welcome: WelcomeController,
};

/** The routes of a main listener; a worker's ops listener has only some of them. */
const MAIN_ROUTES: readonly OpsRoute[] = ['live', 'accept-traffic', 'up', 'up-app', 'usage', 'stats'];

/** Routes of the ops listener of a worker; every other path is 404. */
const WORKER_ROUTES: readonly OpsRoute[] = ['live', 'up', 'usage'];

/** Looks up apps of `/up/{appId}` in the registry of the process. */
const lookupProvider = provider(APP_LOOKUP, { registry: APP_REGISTRY }, ({ registry }) => ({
  find: (appId) => registry.findById(appId),
}));

/** Without a source, the process has no sockets or no history, which the statistics report. */
const statisticsProvider = provider(
  STATISTICS,
  {
    options: OPS_API_OPTIONS,
    occupancy: optional(OCCUPANCY_SOURCE),
    history: optional(HISTORY_HEALTH_SOURCE),
  },
  ({ options, occupancy = NO_SOCKETS, history = NO_HISTORY }) =>
    new Statistics(options.server_role, occupancy, history),
);

/** Probes and statistics of a process. Needs `RuntimeModule`; only the requested routes exist. */
@Module({})
export class OpsApiModule {
  /** Everything a process with a main listener answers. Needs `AppRegistryModule` too. */
  static forMainListener(config: Config): DynamicModule {
    const demo = config.server_role === 'api' ? null : demoOf(config);
    const routes: readonly OpsRoute[] = demo === null ? MAIN_ROUTES : [...MAIN_ROUTES, 'welcome'];
    const module = OpsApiModule.register({ ...optionsOf(config, routes), demo });
    return { ...module, providers: [...(module.providers ?? []), lookupProvider] };
  }

  /** Everything a worker answers. */
  static forWorker(config: Config): DynamicModule {
    return OpsApiModule.register(optionsOf(config, WORKER_ROUTES));
  }

  static register(options: OpsApiOptions): DynamicModule {
    return {
      module: OpsApiModule,
      imports: options.imports ?? [],
      controllers: [...new Set(options.routes)].map((route) => CONTROLLERS[route]),
      providers: [{ provide: OPS_API_OPTIONS, useValue: options }, statisticsProvider, AnswerInterceptor],
    };
  }
}

function optionsOf(config: Config, routes: readonly OpsRoute[]): OpsApiOptions {
  return {
    routes,
    usage_enabled: config.http_api.usage_enabled,
    health_check_timeout_ms: config.health_check_timeout_ms,
    server_role: config.server_role,
  };
}
