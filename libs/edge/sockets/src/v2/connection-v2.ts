import type { HeldFilter } from '@carillon/filter';
import type { AppHub } from '@carillon/hub';
import type { V2ConnectOptions } from '@carillon/protocol';
import type { CapabilityToken } from '@carillon/signing';
import type { Socket } from '@carillon/uws';
import { Connection } from '../connection/connection.js';
import type { Speech } from '../connection/speech.js';

/** A connection of protocol 2, with what only such a one has. */
export class ConnectionV2 extends Connection {
  /** Set when the socket opens; for native pings. */
  native: Pick<Socket<unknown>, 'ping'> | null = null;
  /** The capability token that counts now; null: none ever did. */
  token: CapabilityToken | null = null;
  /** Filters of its subscriptions by channel; null: it never had one. */
  filters: Map<string, HeldFilter> | null = null;
  /** Presence updates by channel: when the second began, and how many in it; null: none yet. */
  updates: Map<string, { sinceMs: number; count: number }> | null = null;

  constructor(
    id: string,
    hub: AppHub,
    speech: Speech,
    connectedTick: number,
    readonly options: V2ConnectOptions,
  ) {
    super(id, hub, speech, connectedTick);
  }

  /** The filter of a channel from now on; null: none. */
  filterBy(channel: string, held: HeldFilter | null): void {
    this.filters?.get(channel)?.release();
    this.filters?.delete(channel);
    if (held === null) return;
    this.filters ??= new Map();
    this.filters.set(channel, held);
  }

  /** Gives all filters back, as the connection ends. */
  releaseFilters(): void {
    for (const held of this.filters?.values() ?? []) held.release();
    this.filters = null;
  }
}
