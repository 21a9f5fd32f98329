import type { Config } from '@carillon/config';
import { CONFIG, LOGGING, type Logging, SHUTDOWN, type Shutdown } from '@carillon/runtime';
import { Global, Module } from '@nestjs/common';
import { MemoryPresence } from './drivers/memory/memory-presence.js';
import type { Presence } from './port.js';

/** Token of the `Presence`. */
export const PRESENCE = Symbol('presence');

function openPresence({ adapter }: Config, logging: Logging, shutdown: Shutdown): Presence {
  if (adapter.driver !== 'local') {
    throw new Error(`presence over adapter driver ${adapter.driver} is not available in this build`);
  }
  const log = logging.for('service::presence');
  const presence = new MemoryPresence({
    onObserverFault: (error, { kind, appId }) =>
      log.error('a presence change was not handled', { error, kind, app_id: appId }),
  });
  // Sockets take their leave in `membership`; until then leases go on and their ends are told.
  shutdown.onShutdown('leave', 'presence', () => presence.close());
  return presence;
}

/** Presence over the configured adapter, for the whole process. Needs `RuntimeModule`. */
@Global()
@Module({
  providers: [{ provide: PRESENCE, inject: [CONFIG, LOGGING, SHUTDOWN], useFactory: openPresence }],
  exports: [PRESENCE],
})
export class PresenceModule {}
