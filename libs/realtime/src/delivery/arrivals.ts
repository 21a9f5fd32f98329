import type { AppRegistry } from '@carillon/app-registry';
import type { Channels } from '@carillon/channels';
import type { Config } from '@carillon/config';
import type { Broker } from '@carillon/broker';
import type { ReadTurns } from '@carillon/history-reader';
import type { Commits } from '@carillon/history-publish';
import type { Replay } from '@carillon/history-positions';
import type { LoopShare, Metrics } from '@carillon/runtime';
import type { FlushWheel } from '../appends/flush-wheel.js';
import type { AppendWays } from '../appends/append-throttle.js';
import { appendWays, flushWheel } from '../appends/ways.js';
import type { Hubs } from '../apps/hubs.js';
import type { Ways } from '../channels/audience.js';
import type { NativePublish } from '../channels/topic.js';
import { Durable } from '../durable/durable.js';
import type { StreamReads } from '../durable/stream-reads.js';
import { PatternBook } from '../patterns/pattern-book.js';
import { maxSubscriptions } from '../settings.js';
import { Delivery } from './delivery.js';
import type { HttpTopics } from './http-topics.js';
import type { Outlet } from './outlet.js';

/** Dependencies of `Arrivals`. */
export interface ArrivalsParts {
  readonly config: Config;
  readonly apps: AppRegistry;
  readonly broker: Broker;
  readonly streamReads: StreamReads | null;
  readonly readTurns: ReadTurns | null;
  /** Event loop share in which filters of live messages are evaluated. */
  readonly filterShare: LoopShare;
  readonly commits: Commits | null;
  readonly replay: Replay | null;
  readonly metrics: Metrics;
  readonly publish: NativePublish;
  readonly http: HttpTopics;
  readonly hubs: Hubs;
  readonly channels: Channels;
  readonly outlet: Outlet;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/**
 * Inbound events for channels of this process and their path to subscribers: streams restore their order, `delivery`
 * looks up the channel and the matching patterns, and `ways` send the frames.
 */
export class Arrivals {
  readonly ways: Ways & { readonly appends: AppendWays };
  readonly patterns: PatternBook;
  readonly delivery: Delivery;
  readonly durable: Durable;
  readonly #wheel: FlushWheel;

  constructor(parts: ArrivalsParts) {
    const { config, streamReads, hubs, outlet, publish, http, onTrouble } = parts;
    const wheel = flushWheel(config);
    const ways = {
      outlet,
      publish,
      http,
      filters: parts.filterShare,
      appends: appendWays(config, streamReads, wheel, onTrouble),
    };
    const patterns = new PatternBook({ ...parts, ways, maxSubscriptions: maxSubscriptions(config) });
    const delivery = new Delivery(hubs, outlet, patterns);
    const maxFrameBytes = config.websocket_max_payload_kb * 1024;
    const durable = new Durable({ ...parts, delivery, patterns, maxFrameBytes });
    patterns.onLast = (appId) => durable.noPatterns(appId);
    this.ways = ways;
    this.patterns = patterns;
    this.delivery = delivery;
    this.durable = durable;
    this.#wheel = wheel;
  }

  stop(): void {
    this.durable.stop();
    this.#wheel.stop();
  }
}
