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
import { openPorts } from './drivers.js';
import { type PresencePorts } from './ports.js';

/** Token of the `Presence`. */
export const PRESENCE = Symbol('presence');
/** Token of the `ChannelCounts`. */
export const CHANNEL_COUNTS = Symbol('channel counts');
/** Token of the `ConnectionQuota`. */
export const CONNECTION_QUOTA = Symbol('connection quota');

const PORTS = Symbol('presence ports');
const PART = 'presence';

/** The ports tied to the life of the process: reached at start, checked by `/up`, left when the sockets are gone. */
async function portsOfProcess(
  config: Config,
  logging: Logging,
  startup: Startup,
  health: Health,
  shutdown: Shutdown,
): Promise<PresencePorts> {
  const ports = await openPorts(config, logging.for('service::presence'));
  const { presence, connect } = ports;
  if (connect !== null) {
    startup.needs({ name: PART, connect });
    const check = async (): Promise<void> => {
      const problem = await presence.health();
      if (problem !== null) throw new Error(problem);
    };
    health.register({ part: PART, severity: 'critical', check });
  }
  // Sockets take their leave in `membership`; until then leases go on and their ends are told.
  shutdown.onShutdown('leave', PART, () => presence.close());
  return ports;
}

/** Presence, counts and quotas over the configured adapter, for the whole process. Needs `RuntimeModule`. */
@Global()
@Module({
  providers: [
    { provide: PORTS, inject: [CONFIG, LOGGING, STARTUP, HEALTH, SHUTDOWN], useFactory: portsOfProcess },
    { provide: PRESENCE, inject: [PORTS], useFactory: ({ presence }: PresencePorts) => presence },
    {
      provide: CHANNEL_COUNTS,
      inject: [PORTS],
      useFactory: ({ channelCounts }: PresencePorts) => channelCounts,
    },
    {
      provide: CONNECTION_QUOTA,
      inject: [PORTS],
      useFactory: ({ connectionQuota }: PresencePorts) => connectionQuota,
    },
  ],
  exports: [PRESENCE, CHANNEL_COUNTS, CONNECTION_QUOTA],
})
export class PresenceModule {}
