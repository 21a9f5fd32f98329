import type { Hub } from '@carillon/realtime';
import type { ConnectRules, WireNames } from '@carillon/protocol';
import type { Sockets, SocketsGateway } from '@carillon/sockets';
import type { StreamAdmission } from './admission/admission.js';
import type { RetryDelay } from './admission/retry-delay.js';
import type { FrameInfos } from './frames/frame-info.js';
import type { StreamMetrics } from './metrics.js';
import type { StreamSettings } from './settings.js';
import type { StreamClock } from './time/stream-clock.js';
import type { StreamConnections } from './transport/stream-connections.js';

/** Dependencies of event streams and sessions. */
export interface StreamParts {
  readonly settings: StreamSettings;
  readonly connectRules: ConnectRules;
  readonly names: WireNames;
  readonly hub: Hub;
  readonly gateway: Pick<SocketsGateway, 'received'>;
  readonly subscribe: Sockets['subscribe'];
  readonly speeches: Sockets['speechesV2'];
  readonly admission: StreamAdmission;
  readonly connections: StreamConnections;
  readonly infos: FrameInfos;
  readonly retry: RetryDelay;
  readonly clock: StreamClock;
  readonly metrics: StreamMetrics;
}
