import type { AvailableDrivers, Config, ProcessKind } from '@carillon/config';
import type { DynamicModule, Type } from '@nestjs/common';

/** What makes an app. */
export interface AppDefinition {
  readonly process: ProcessKind;
  /** What its rooms can be configured to use, beyond what needs no other process. */
  readonly drivers: AvailableDrivers;
  modules(config: Config): (DynamicModule | Type)[];
  /** Tokens of the transports whose handlers it runs, as of queue jobs. Absent: none. */
  transports?(config: Config): readonly symbol[];
}
