import type { AvailableDrivers, Config, ProcessKind } from '@carillon/config';
import type { DynamicModule, Type } from '@nestjs/common';

/** Definition of an app. */
export interface AppDefinition {
  readonly process: ProcessKind;
  /** Configurable drivers of its packages, beyond the in-process ones. */
  readonly drivers: AvailableDrivers;
  modules(config: Config): (DynamicModule | Type)[];
  /** Tokens of the transports whose handlers it runs, as of queue jobs. Absent: none. */
  transports?(config: Config): readonly symbol[];
}
