import { iggyAddress, type IggySettings } from './address.js';
import { IggyClient } from './client.js';
import type { StreamOptions } from './topics.js';

/** A client with the settings of a block. Throws when they cannot be used. */
export const openIggy = (settings: IggySettings, block: string): IggyClient =>
  new IggyClient({
    address: iggyAddress(settings, block),
    block,
    connectTimeoutMs: settings.connect_timeout_ms,
    requestTimeoutMs: settings.request_timeout_ms,
    failoverTimeoutMs: settings.failover_timeout_ms,
  });

export const streamOptions = (settings: IggySettings, block: string): StreamOptions => ({
  stream: settings.stream,
  autoCreate: settings.auto_create,
  durability: settings.durability,
  consumerOffsetDurability: settings.consumer_offset_durability,
  block,
});
