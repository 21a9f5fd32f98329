import { bytesOf, type CompatCore, type CompatError, type Measurable, measured } from '@carillon/ably-core';
import type { Frames } from '@carillon/realtime';
import type { CompatConnection } from './connection.js';

/** Error codes that mean that a backend of the service did not respond. */
const BACKEND_FAILURES: ReadonlySet<number> = new Set([50_000, 50_003, 90_000]);
const STATE_EXPIRED = 80_008;

/** The category of an event delivered to subscribers. */
export type ToldKind = 'messages' | 'presence';

/** Counts connection activity for the statistics of apps and for operator metrics. */
export class Counted {
  /** The number of attached connections of this process, by app and channel. */
  readonly #channels = new Map<string, Map<string, number>>();
  /** The payload size of a fact, measured when it is first encoded. */
  readonly #bytes = new WeakMap<Frames, number>();

  constructor(private readonly core: Pick<CompatCore, 'channel' | 'counters' | 'statistics'>) {}

  opened(connection: CompatConnection): void {
    connection.isCounted = true;
    this.core.statistics.level(connection.hub.appId, 'connections', 1);
  }

  /** Also ends its attachments. */
  closed(connection: CompatConnection): void {
    if (!connection.isCounted) return;
    if (connection.endedFor === 'over_capacity') this.core.counters.add('overflow');
    const attached = [...connection.attachments.values()].map(({ base }) => base);
    for (const base of new Set(attached)) this.#channel(connection, base, -1);
    connection.isCounted = false;
    this.core.statistics.level(connection.hub.appId, 'connections', -1);
  }

  attached(connection: CompatConnection, base: string): void {
    this.#channel(connection, base, 1);
  }

  detached(connection: CompatConnection, base: string): void {
    this.#channel(connection, base, -1);
  }

  /** Resolves when they are counted or after a timeout. */
  published({ hub }: CompatConnection, messages: readonly Measurable[]): Promise<void> {
    return this.core.statistics.inbound(hub.appId, 'realtime', measured(messages));
  }

  /** Counts members that a connection entered, updated or removed. */
  presence({ hub: { app } }: CompatConnection, base: string, members: readonly Measurable[]): void {
    const { core } = this;
    const counted = measured(members);
    core.statistics.presence(app.id, 'inbound', counted);
    const { presenceHistory } = core.channel(app, base).policy;
    if (presenceHistory.enabled) core.statistics.persistedPresence(app.id, counted);
  }

  /** Counts a frame encoded from a fact with this content. */
  encoded(frames: Frames, said: Measurable): void {
    this.core.counters.add('data_encoded');
    this.core.counters.add('encoded');
    if (!this.#bytes.has(frames)) this.#bytes.set(frames, bytesOf(said));
  }

  /** A frame that is no fact, for one connection. */
  said(): void {
    this.core.counters.add('encoded');
  }

  /** Counts an error sent to a client if it is a backend failure. */
  refused({ code }: CompatError): void {
    if (BACKEND_FAILURES.has(code)) this.core.counters.add('backend_failure');
  }

  /** Counts a resume attempt, which succeeded or failed with an error. */
  cameBack(error: CompatError | null): void {
    this.core.counters.add('recovery_backend_calls');
    if (error?.code === STATE_EXPIRED) this.core.counters.add('expiry');
  }

  tokenExpired(): void {
    this.core.counters.add('expiry');
  }

  /** Registers gauges of the queued frames of these connections. */
  watch(connections: Iterable<CompatConnection>): void {
    const sum = (of: (lane: NonNullable<CompatConnection['lane']>) => number) => (): number => {
      let all = 0;
      for (const { lane } of connections) if (lane !== null) all += of(lane);
      return all;
    };
    this.core.counters.gauge(
      'queued_messages',
      sum(({ size }) => size),
    );
    this.core.counters.gauge(
      'queued_bytes',
      sum(({ bytes }) => bytes),
    );
  }

  /** Counts an encoded event for its receivers. */
  told(appId: string, what: ToldKind, frames: Frames, receivers: number): void {
    if (receivers === 0) return;
    const { counters, statistics } = this.core;
    counters.add('fanout', receivers);
    const counted = { count: receivers, bytes: receivers * (this.#bytes.get(frames) ?? 0) };
    if (what === 'messages') statistics.outbound(appId, 'realtime', counted);
    else statistics.presence(appId, 'outbound', counted);
  }

  #channel({ isCounted, hub: { appId } }: CompatConnection, base: string, change: 1 | -1): void {
    // A connection that ended during its admission was never counted.
    if (!isCounted) return;
    const channels = this.#channels.get(appId) ?? new Map<string, number>();
    const before = channels.get(base) ?? 0;
    const attached = before + change;
    if (attached > 0) channels.set(base, attached);
    else channels.delete(base);
    if (channels.size > 0) this.#channels.set(appId, channels);
    else this.#channels.delete(appId);
    if ((before === 0) !== (attached === 0)) this.core.statistics.level(appId, 'channels', change);
  }
}
