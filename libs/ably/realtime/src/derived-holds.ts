import { type ChannelName, CompatError } from '@carillon/ably-core';
import type { Config } from '@carillon/config';
import { DistinctFilters } from '@carillon/filter';
import type { CompatConnection } from './connection.js';

const REMEDY = 'detach a derived channel, or use the filter of another one';
/** Error of an attach beyond the limit of distinct filters. */
const TOO_MANY = 90_010;

/** Counts the filters of derived channels, from their attach to their detach or the end of the connection. */
export class DerivedHolds {
  readonly #filters: DistinctFilters;
  /** Release functions of the filters of a connection, by the name of the derived channel. */
  readonly #held = new WeakMap<CompatConnection, Map<string, () => void>>();

  constructor({ tag_filtering: { max_filters_per_channel, max_filters_per_app } }: Config) {
    const limits = { maxPerChannel: max_filters_per_channel, maxPerApp: max_filters_per_app };
    this.#filters = new DistinctFilters(limits, REMEDY);
  }

  /**
   * Counts the filter of a channel that a connection attaches; once, however often it attaches it.
   *
   * @throws CompatError 90010 when its channel or app has as many distinct filters as it may have.
   */
  hold(connection: CompatConnection, { text, base, filter }: ChannelName): void {
    const held = this.#held.get(connection) ?? new Map<string, () => void>();
    if (filter === null || held.has(text) || !connection.isOpen) return;
    const counted = this.#filters.hold(filter, { appId: connection.hub.appId, channel: base });
    if (!counted.ok) throw new CompatError(TOO_MANY, counted.reason);
    this.#held.set(connection, held.set(text, counted.release));
  }

  release(connection: CompatConnection, text: string): void {
    const held = this.#held.get(connection);
    held?.get(text)?.();
    held?.delete(text);
  }

  /** The connection has ended. */
  releaseAll(connection: CompatConnection): void {
    for (const release of this.#held.get(connection)?.values() ?? []) release();
    this.#held.delete(connection);
  }
}
