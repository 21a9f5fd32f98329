import { provider, RUNTIME, type RuntimeParts, token } from '@carillon/runtime';
import { Global, Module } from '@nestjs/common';
import { openPorts } from './drivers.js';
import type { ChannelCounts } from './channel-counts.js';
import type { ConnectionQuota } from './connection-quota.js';
import type { Presence } from './port.js';
import type { PresencePorts } from './ports.js';

export const PRESENCE = token<Presence>('presence');
export const CHANNEL_COUNTS = token<ChannelCounts>('channel counts');
export const CONNECTION_QUOTA = token<ConnectionQuota>('connection quota');

const PORTS = token<PresencePorts>('presence ports');
const PART = 'presence';

/** The ports tied to the life of the process: reached at start, checked by `/up`, left when the sockets are gone. */
async function portsOfProcess(parts: RuntimeParts): Promise<PresencePorts> {
  const { config, logging, startup, health, shutdown } = parts;
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
  // Sockets leave in phase `membership`; until then leases run and their ends are reported.
  shutdown.onShutdown('leave', PART, () => presence.close());
  return ports;
}

/** Presence, counts and quotas over the configured adapter, for the whole process. Needs `RuntimeModule`. */
@Global()
@Module({
  providers: [
    provider(PORTS, RUNTIME, portsOfProcess),
    provider(PRESENCE, { ports: PORTS }, ({ ports }) => ports.presence),
    provider(CHANNEL_COUNTS, { ports: PORTS }, ({ ports }) => ports.channelCounts),
    provider(CONNECTION_QUOTA, { ports: PORTS }, ({ ports }) => ports.connectionQuota),
  ],
  exports: [PRESENCE, CHANNEL_COUNTS, CONNECTION_QUOTA],
})
export class PresenceModule {}
