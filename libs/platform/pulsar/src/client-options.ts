import { pulsarAddress, type PulsarAddress, type PulsarSettings } from './address.js';

/** Options of every producer and consumer of a cluster. */
export interface PulsarClientOptions {
  readonly address: PulsarAddress;
  readonly token: string | null;
  /** Settings named in errors, such as `queue.pulsar`. */
  readonly block: string;
  readonly timeoutMs: number;
}

/** Reads the settings of a block. Throws when `url` cannot be used. */
export function pulsarClient(settings: PulsarSettings, block: string): PulsarClientOptions {
  return {
    address: pulsarAddress(settings.url, block),
    token: settings.token?.reveal() ?? null,
    block,
    timeoutMs: settings.request_timeout_ms,
  };
}
