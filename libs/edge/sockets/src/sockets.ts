import { AiChannels, AiMeters, headerLimits } from '@carillon/ai-transport';
import type { AppRegistry } from '@carillon/app-registry';
import type { Cache } from '@carillon/cache';
import type { Config } from '@carillon/config';
import { SharedFilters } from '@carillon/filter';
import type { HistoryReader } from '@carillon/history';
import { type Hub, UpgradeLimit } from '@carillon/hub';
import { WireNames } from '@carillon/protocol';
import { ClientPublisher, extrasRules, PublishNews } from '@carillon/operations';
import type { Presence } from '@carillon/presence';
import type { Publisher } from '@carillon/publishing';
import type { RateLimit } from '@carillon/rate-limit';
import type { Admission, Logger, Metrics } from '@carillon/runtime';
import type { HttpRequest, Socket, SocketOptions, UpgradeDecision } from '@carillon/uws';
import type { WebhookEvents } from '@carillon/webhooks';
import { isTracingMessages, traced } from '@carillon/tracing';
import { Connection } from './connection/connection.js';
import { PendingArrival, type Arrival } from './entrance/arrival.js';
import { Entrance } from './entrance/entrance.js';
import { Reception } from './entrance/reception.js';
import { AiEvents } from './requests/ai-event.js';
import { ClientEvents } from './requests/client-event.js';
import { Requests } from './requests/requests.js';
import { Signin } from './requests/signin.js';
import { Subscribe } from './requests/subscribe.js';
import { connectRules, filterRules, heartbeatOptions, socketOptions } from './settings.js';
import { Heartbeats } from './time/heartbeats.js';
import { speechV1 } from './v1/speech.js';
import { ChannelHistories } from './v2/channel-history.js';
import { DeltaRequests } from './v2/delta/delta-requests.js';
import { AppCodecs } from './v2/app-codec.js';
import { Tags } from './v2/tags.js';
import { Deltas } from './v2/delta/deltas.js';
import { PresenceUpdates } from './v2/presence-updates.js';
import { RequestsV2 } from './v2/requests-v2.js';
import { Revocations } from './v2/revocations.js';
import { SpeechesV2 } from './v2/speeches.js';
import { Summaries } from './v2/summaries.js';
import { Tokens } from './v2/tokens.js';

/** What sockets work with. */
export interface SocketsParts {
  readonly config: Config;
  readonly hub: Hub;
  readonly admission: Admission;
  readonly apps: AppRegistry;
  /** Where it is written which tokens are revoked, and what was said under which key. */
  readonly cache: Cache;
  /** Where histories are read; null: nowhere. */
  readonly historyReader: Pick<HistoryReader, 'page'> | null;
  readonly presence: Presence;
  readonly publisher: Publisher;
  readonly rateLimit: RateLimit;
  readonly webhooks: WebhookEvents;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/**
 * The edge of protocols 1 and 2: lets WebSockets in, reads what they ask for, and asks them for signs of life. Everything here runs
 * on the socket loop.
 */
export class Sockets {
  readonly options: SocketOptions;
  readonly #hub: Hub;
  readonly #heartbeats: Heartbeats;
  readonly #entrance: Entrance;
  readonly #reception: Reception;
  readonly #requests: Requests;
  readonly #tokens: Tokens;

  constructor(parts: SocketsParts) {
    const { config, hub, metrics, rateLimit } = parts;
    const speech = speechV1(config);
    const { channels, outlet, joins, leaving, patterns, identities, onTrouble } = hub;
    const { watchlists } = hub.state;
    const subscribe = new Subscribe({
      channels,
      outlet,
      joins,
      patterns,
      withdraw: (connection) => this.#tokens.withdraw(connection),
      filters: new SharedFilters(filterRules(config)),
    });
    const signin = new Signin({ ...parts, outlet, identities, watchlists, leaving, onTrouble });
    const names = new WireNames(config.protocol.vendor_prefix);
    const revocations = new Revocations(parts.cache);
    const tokens = new Tokens({
      names,
      revocations,
      outlet,
      identities,
      leaving,
      patterns,
      signin,
      onTrouble,
    });
    this.#tokens = tokens;
    const tags = new Tags(config.tag_filtering.enable_tags, hub);
    const requestsV2 = new RequestsV2({
      channels,
      resumes: hub.resumes,
      histories: new ChannelHistories({
        channels,
        outlet,
        reader: parts.historyReader,
        maxPageSize: config.history.max_page_size,
        tags,
        onTrouble,
      }),
      outlet,
      deltas: new DeltaRequests({ deltas: new Deltas(parts), outlet, onTrouble }),
      tokens,
      summaries: new Summaries({
        reads: hub.streamReads,
        outlet,
        maxFrameBytes: config.websocket_max_payload_kb * 1024,
        onTrouble,
      }),
      presenceUpdates: new PresenceUpdates({
        ...parts,
        outlet,
        maxPerSecond: config.presence.update_rate_limit_per_member_per_second,
        onTrouble,
      }),
    });
    const aiChannels = new AiChannels(config.ai_transport);
    const heartbeats = new Heartbeats(heartbeatOptions(config), hub.outlet);
    this.options = socketOptions(config);
    this.#hub = hub;
    this.#heartbeats = heartbeats;
    this.#entrance = new Entrance({
      ...parts,
      heartbeats,
      speech,
      speechesV2: new SpeechesV2(config, names, requestsV2, new AppCodecs(tags)),
      tokens,
      limit: UpgradeLimit.of(config, rateLimit, metrics),
      rules: connectRules(config),
    });
    this.#reception = new Reception({
      ...parts,
      heartbeats,
      speech,
      tokens,
      message: (socket, frame) => this.message(socket, frame),
      activityTimeoutSeconds: config.activity_timeout,
    });
    this.#requests = new Requests({
      outlet,
      leaving,
      patterns,
      onTrouble,
      subscribe,
      clientEvents: new ClientEvents({
        webhooks: parts.webhooks,
        publisher: new ClientPublisher(parts),
        channels,
        outlet,
        extras: extrasRules(config),
        ai: new AiEvents(aiChannels, headerLimits(config), new AiMeters(metrics)),
        news: new PublishNews(parts.webhooks, aiChannels, metrics),
        onTrouble,
      }),
      signin,
    });
    heartbeats.start();
    tokens.ends.start();
  }

  upgrade(request: HttpRequest): UpgradeDecision<Arrival> | Promise<UpgradeDecision<Arrival>> {
    return this.#entrance.upgrade(request);
  }

  open(socket: Socket<Arrival>): void {
    this.#reception.open(socket);
  }

  message({ state }: Socket<Arrival>, data: ArrayBuffer): void {
    if (state instanceof PendingArrival) return state.hold(data);
    if (!(state instanceof Connection) || !state.isOpen) return;
    state.hub.meters.received(data.byteLength);
    state.activeTick = this.#heartbeats.tick;
    if (isTracingMessages()) this.#takeTraced(state, data);
    else this.#requests.take(state, data);
  }

  #takeTraced(connection: Connection, data: ArrayBuffer): void {
    const attributes = { app_id: connection.hub.appId, protocol: connection.edge.protocol };
    traced(
      () => ({ name: 'message', kind: 'server', attributes }),
      () => this.#requests.take(connection, data),
    );
  }

  /** A native ping or pong. */
  active({ state }: Socket<Arrival>): void {
    if (state instanceof Connection) state.activeTick = this.#heartbeats.tick;
  }

  drained({ state }: Socket<Arrival>): void {
    if (state instanceof Connection) this.#hub.outlet.drained(state);
  }

  /** The native library holds as much for the socket as may be held at all. */
  dropped({ state }: Socket<Arrival>): void {
    if (state instanceof Connection) this.#hub.outlet.dropped(state);
  }

  closed({ state }: Socket<Arrival>, code: number): void {
    if (!(state instanceof Connection) || !this.#hub.closed(state, code)) return;
    this.#heartbeats.end(state);
    this.#tokens.end(state);
    state.ended();
  }

  /** Stops every timer. */
  stop(): void {
    this.#heartbeats.stop();
    this.#tokens.ends.stop();
  }
}
