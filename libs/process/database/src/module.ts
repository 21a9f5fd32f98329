import type { Config } from '@carillon/config';
import {
  CONFIG,
  HEALTH,
  type Health,
  LOGGING,
  type Logging,
  SHUTDOWN,
  type Shutdown,
  STARTUP,
  type Startup,
} from '@carillon/runtime';
import { Global, Module } from '@nestjs/common';
import { Databases } from './databases.js';

/** Token of the `Databases`. */
export const DATABASES = Symbol('databases');

/** Offers the databases of the process; nothing is opened, or loaded, before a room uses one. Needs `RuntimeModule`. */
@Global()
@Module({
  providers: [
    {
      provide: DATABASES,
      inject: [CONFIG, LOGGING, STARTUP, HEALTH, SHUTDOWN],
      useFactory: (config: Config, logging: Logging, startup: Startup, health: Health, shutdown: Shutdown) =>
        new Databases({ config, logging, startup, health, shutdown }),
    },
  ],
  exports: [DATABASES],
})
export class DatabaseModule {}
