import { bytesOf, type CompatCore, type CompatError, type Measurable, measured } from '@carillon/ably-core';
import type { Frames } from '@carillon/realtime';
import type { CompatConnection } from './connection.js';

/** Codes that say that something the service stands on did not answer. */
const BACKEND_FAILURES: ReadonlySet<number> = new Set([50_000, 50_003, 90_000]);
const STATE_EXPIRED = 80_008;

/** What subscribers were told. */
export type ToldKind = 'messages' | 'presence';

/** What is counted of connections: for the statistics of their apps, and for operators. */
export class Counted {
  /** By app and channel, how many connections are attached here. */
  readonly #channels = new Map<string, Map<string, number>>();
  /** What there is to a fact, measured as it is encoded first. */
  readonly #bytes = new WeakMap<Frames, number>();

  constructor(private readonly core: Pick<CompatCore, 'channel' | 'counters' | 'statistics'>) {}

  opened(connection: CompatConnection): void {
    connection.isCounted = true;
    this.core.statistics.level(connection.hub.appId, 'connections', 1);
  }

  /** It is not attached to anything any more either. */
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

  /** Resolves when they are counted, or after a while all the same. */
  published({ hub }: CompatConnection, messages: readonly Measurable[]): Promise<void> {
    return this.core.statistics.inbound(hub.appId, 'realtime', measured(messages));
  }

  /** Members that a connection entered, changed or took away. */
  presence({ hub: { app } }: CompatConnection, base: string, members: readonly Measurable[]): void {
    const { core } = this;
    const counted = measured(members);
    core.statistics.presence(app.id, 'inbound', counted);
    const { presenceHistory } = core.channel(app, base).policy;
    if (presenceHistory.enabled) core.statistics.persistedPresence(app.id, counted);
  }

  /** A frame was made of a fact that says this. */
  encoded(frames: Frames, said: Measurable): void {
    this.core.counters.add('data_encoded');
    this.core.counters.add('encoded');
    if (!this.#bytes.has(frames)) this.#bytes.set(frames, bytesOf(said));
  }

  /** A frame that is no fact, for one connection. */
  said(): void {
    this.core.counters.add('encoded');
  }

  /** Somebody is told that something cannot be done: whether that is a failure of what it takes. */
  refused({ code }: CompatError): void {
    if (BACKEND_FAILURES.has(code)) this.core.counters.add('backend_failure');
  }

  /** A client wanted to be the connection that it was: it is, or is told why not. */
  cameBack(error: CompatError | null): void {
    this.core.counters.add('recovery_backend_calls');
    if (error?.code === STATE_EXPIRED) this.core.counters.add('expiry');
  }

  tokenExpired(): void {
    this.core.counters.add('expiry');
  }

  /** From now on operators are told what waits for these. */
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

  /** What was encoded was handed to so many. */
  told(appId: string, what: ToldKind, frames: Frames, receivers: number): void {
    if (receivers === 0) return;
    const { counters, statistics } = this.core;
    counters.add('fanout', receivers);
    const counted = { count: receivers, bytes: receivers * (this.#bytes.get(frames) ?? 0) };
    if (what === 'messages') statistics.outbound(appId, 'realtime', counted);
    else statistics.presence(appId, 'outbound', counted);
  }

  #channel({ isCounted, hub: { appId } }: CompatConnection, base: string, change: 1 | -1): void {
    // What is let in as its connection ends was never there.
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
