import type { Config } from '@carillon/config';
import type { Logger, Metrics } from '@carillon/runtime';
import type { OnListenerFault } from './listener-fault.js';

/** Configuration read by the drivers. */
export type BrokerConfig = Pick<
  Config,
  | 'adapter'
  | 'database'
  | 'history'
  | 'http_api'
  | 'instance'
  | 'startup_timeout_ms'
  | 'websocket_max_payload_kb'
>;

/** Options of every driver. */
export interface BrokerOptions {
  readonly config: BrokerConfig;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly onFault: OnListenerFault;
}
