import type { Cache } from '@carillon/cache';
import type { CompatCore } from '@carillon/ably-core';
import type { Config } from '@carillon/config';
import type { Hub } from '@carillon/realtime';
import type { Presence } from '@carillon/presence';
import type { RateLimit } from '@carillon/rate-limit';
import type { Admission, Logger, Metrics } from '@carillon/runtime';
import type { SocketOptions } from '@carillon/uws';
import type { WebhookEvents } from '@carillon/webhooks';
import { Attach } from './attach.js';
import { Codecs } from './codecs.js';
import { MAX_FRAME_BYTES } from './connected.js';
import { type CompatConnection, compatEdge } from './connection.js';
import type { Continuity } from './continuity.js';
import { Counted } from './counted.js';
import { Deltas } from './delta/deltas.js';
import { DerivedHolds } from './derived-holds.js';
import { ACTION } from './flags.js';
import { Life } from './life.js';
import { OrderedWork } from './ordered-work.js';
import { Members } from './presence.js';
import { Publishing } from './publishing.js';
import { Reauth } from './reauth.js';
import { Receipts } from './receipts.js';
import { Reception } from './reception.js';
import { Remaining } from './remaining.js';
import { Revoking } from './revoking.js';
import { FrameWriter } from './frame-writer.js';
import { Sessions } from './sessions.js';
import { Syncing } from './syncing.js';

/** Dependencies of the Ably realtime adapter. */
export interface RealtimeParts {
  readonly config: Config;
  readonly core: CompatCore;
  readonly hub: Hub;
  readonly presence: Presence;
  readonly cache: Cache;
  readonly continuity: Continuity;
  readonly admission: Admission;
  readonly rateLimit: RateLimit;
  readonly webhooks: WebhookEvents;
  readonly metrics: Metrics;
  readonly log: Logger;
}

const MIN_IDLE_SECONDS = 8;
const MAX_IDLE_SECONDS = 960;

/** The idle timeout of the native library; 0 disables it. */
const idleSeconds = (seconds: number): number =>
  seconds === 0 ? 0 : Math.min(MAX_IDLE_SECONDS, Math.max(MIN_IDLE_SECONDS, seconds));

/** The services behind the gateway of Ably clients. */
export class Realtime {
  readonly socketOptions: SocketOptions;
  readonly hub: Hub;
  readonly said: FrameWriter;
  readonly life: Life;
  readonly ordered: OrderedWork;
  readonly reception: Reception;
  readonly attach: Attach;
  readonly syncing: Syncing;
  readonly publishing: Publishing;
  readonly reauth: Reauth;
  readonly derivedHolds: DerivedHolds;
  readonly #revoking: Revoking;

  constructor(parts: RealtimeParts) {
    const { hub, presence, core, continuity, config, webhooks, cache } = parts;
    this.hub = hub;
    this.socketOptions = {
      maxPayloadBytes: 4 * MAX_FRAME_BYTES,
      maxBackpressureBytes: 0,
      // Idle clients send nothing, but answer pings.
      sendPingsAutomatically: true,
      idleTimeoutSeconds: idleSeconds(config.websocket.idle_timeout),
    };
    const counted = new Counted(core);
    const codecs = new Codecs(counted, hub.filterShare);
    const said = new FrameWriter(hub, presence, counted);
    const remaining = new Remaining(cache, presence);
    const members = new Members(presence, hub.outlet, remaining, counted, said);
    const sessions = new Sessions(core.connectionKeys);
    const isAlone = config.adapter.driver === 'local';
    const receipts = new Receipts(isAlone ? null : cache, (what, error) => hub.onTrouble(what, error));
    const life = new Life(hub, said, sessions, core.connectionKeys, remaining, receipts, counted);
    counted.watch(life.connections);
    hub.takings.answerWith((appId, taken) => life.takenElsewhere(appId, taken));
    const syncing = new Syncing(presence, said);
    this.derivedHolds = new DerivedHolds(config);
    const attach = new Attach({
      core,
      hub,
      continuity,
      codecs,
      counted,
      deltas: new Deltas(parts.metrics),
      derivedHolds: this.derivedHolds,
      said,
      syncing,
      withinMs: config.compat.attach_timeout_ms,
    });
    const ordered = new OrderedWork(hub, life);
    const edge = compatEdge(config.presence.v2_ungraceful_timeout_seconds * 1000, {
      lost: (connection, text) => ordered.add(connection, 0, () => attach.again(connection, text)),
      removed: (connection, channel) => attach.remove(connection, channel),
    });
    this.said = said;
    this.life = life;
    this.ordered = ordered;
    this.attach = attach;
    this.syncing = syncing;
    this.publishing = new Publishing(core, members, said, webhooks, hub.outlet, counted, receipts);
    const serverId = config.instance.process_id;
    this.reauth = new Reauth({ core, hub, said, attach, syncing, life, serverId });
    this.reception = new Reception({ ...parts, edge, codecs, counted, said, life, members, sessions });
    this.#revoking = new Revoking({
      core,
      connections: life.connections,
      warn: (connection) => said.say(connection, { action: ACTION.auth }),
      end: (connection, { body }) => life.endForGood(connection, ACTION.disconnected, body),
      onTrouble: hub.onTrouble,
    });
  }

  /** The transport of a connection has closed. */
  closed(connection: CompatConnection, code: number): void {
    this.derivedHolds.releaseAll(connection);
    this.life.closed(connection, code);
  }

  stop(): void {
    this.#revoking.stop();
    this.life.stop();
  }
}
