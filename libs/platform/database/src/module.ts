import { provider, RUNTIME, token } from '@carillon/runtime';
import { Global, Module } from '@nestjs/common';
import { Databases } from './databases.js';

export const DATABASES = token<Databases>('databases');

/** Offers the databases of the process; nothing is opened, or loaded, before a room uses one. Needs `RuntimeModule`. */
@Global()
@Module({
  providers: [provider(DATABASES, RUNTIME, (parts) => new Databases(parts))],
  exports: [DATABASES],
})
export class DatabaseModule {}
