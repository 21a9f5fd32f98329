import { patternCovers, type ChannelPattern, type OrdinaryChannel } from '@carillon/channels';
import { chooseAlgorithm, type DeltaAlgorithm, type DeltaWish } from '@carillon/delta';
import { inTurn, type Outlet } from '@carillon/realtime';
import type { DeltaSyncErrorFrame, EnableDeltaFrame } from '@carillon/protocol';
import { ViewV2 } from '../view-v2.js';
import type { Viewer } from '../views.js';
import type { Deltas, Place } from './deltas.js';

/** Dependencies of {@link DeltaRequests}. */
export interface DeltaRequestsParts {
  readonly deltas: Deltas;
  readonly outlet: Outlet;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Enables and disables deltas, for connections and for subscriptions. */
export class DeltaRequests {
  constructor(private readonly parts: DeltaRequestsParts) {}

  /** The view for a subscription request, within the limits of the channel and the connection. */
  settle(connection: Viewer, at: SettledAt, view: ViewV2): void {
    if (at.kind === 'pattern') {
      view.settled = () => this.#acknowledge(connection, at.pattern, view);
      return;
    }
    const { channel } = at;
    const place = { hub: connection.hub, channel };
    const algorithm = this.#apply(connection, place, view);
    view.settled = () => this.#tell(connection, place, view, algorithm);
  }

  /** Applies the new default to all subscriptions of the connection without a setting of their own. */
  enable(connection: Viewer, { algorithms }: EnableDeltaFrame): void {
    const { deltas, outlet, onTrouble } = this.parts;
    const configured = connection.views.write === null ? null : deltas.algorithm;
    const algorithm = configured === null ? null : chooseAlgorithm(algorithms, configured);
    connection.views.algorithm = algorithm;
    outlet.send(connection, { kind: 'delta_settled', channel: null, algorithm });
    for (const { channel } of connection.subscriptions) {
      const work = (): undefined => this.#renew(connection, channel.name);
      inTurn(connection, channel.name, work, onTrouble);
    }
  }

  /** The client lost its bases of a channel: it gets everything in full next. */
  syncError(connection: Viewer, { channel }: DeltaSyncErrorFrame): void {
    connection.subscriptions.get(channel)?.channel.renew(connection);
  }

  #renew(connection: Viewer, name: string): undefined {
    const channel = connection.subscriptions.get(name)?.channel;
    if (channel === undefined) return;
    const view = connection.views.get(name) ?? new ViewV2(connection.codec, null, null);
    const before = view.delta?.variant.algorithm ?? null;
    if (view.wish !== null || wishByPattern(connection, channel.about) !== null) return;
    const now = this.#apply(connection, { hub: connection.hub, channel: channel.about }, view);
    if (now === before) return;
    connection.views.keep(name, view);
    channel.renew(connection, view.codec);
  }

  /** Null: everything is sent in full. */
  #apply(connection: Viewer, place: Place, view: ViewV2): DeltaAlgorithm | null {
    const { deltas } = this.parts;
    const { views } = connection;
    const { write } = views;
    const plan = deltas.plan(connection.hub.app, place.channel);
    const own = view.wish ?? wishByPattern(connection, place.channel);
    const wanted = own ?? { enabled: views.algorithm !== null, algorithm: views.algorithm };
    if (plan === null || write === null || !wanted.enabled) {
      view.delta = null;
      return null;
    }
    const algorithm = wanted.algorithm ?? views.algorithm ?? plan.algorithm;
    if (view.delta?.variant.algorithm === algorithm) return algorithm;
    const { codec: plain } = connection;
    view.delta = deltas.entry({ base: view.base, algorithm, write }, plan, { ...place, plain });
    deltas.enabled(place);
    return algorithm;
  }

  /**
   * Acknowledges the delta setting of a pattern. Events by pattern are sent in full: the setting applies to channels
   * that are also subscribed by name.
   */
  #acknowledge(connection: Viewer, { name }: ChannelPattern, { wish }: ViewV2): void {
    const { deltas, outlet } = this.parts;
    const { algorithm: enabled, write } = connection.views;
    if (wish?.enabled !== true) return;
    const configured = write === null ? null : deltas.algorithm;
    const algorithm = configured === null ? null : (wish.algorithm ?? enabled ?? configured);
    outlet.send(connection, { kind: 'delta_settled', channel: name, algorithm });
  }

  /** Sends the confirmation if deltas were requested for this channel, and the latest bases if they are enabled. */
  #tell(connection: Viewer, place: Place, view: ViewV2, algorithm: DeltaAlgorithm | null): void {
    const { deltas, outlet } = this.parts;
    const { name } = place.channel;
    if (view.wish?.enabled === true) {
      outlet.send(connection, { kind: 'delta_settled', channel: name, algorithm });
    }
    const plan = deltas.plan(connection.hub.app, place.channel);
    if (view.delta === null || plan === null || plan.conflationPath === null) return;
    const channel = deltas.channel(place, plan, connection.codec);
    const shown = channel?.show((message) => view.accepts(message)) ?? null;
    if (shown === null) return;
    view.delta.shown = shown;
    deltas.states.bound(connection);
    const { conflationPath, maxMessagesPerKey } = plan;
    const { bases } = shown;
    outlet.send(connection, { kind: 'delta_bases', channel: name, conflationPath, maxMessagesPerKey, bases });
  }
}

/** Returns the setting of the first matching pattern of the connection, or null if none has one. */
function wishByPattern({ hub, patterns, views }: Viewer, channel: OrdinaryChannel): DeltaWish | null {
  for (const name of patterns?.keys() ?? []) {
    const pattern = hub.patterns.get(name);
    const wish = views.get(name)?.wish ?? null;
    if (wish !== null && pattern !== undefined && patternCovers(pattern.about, channel)) return wish;
  }
  return null;
}

/** The channel or pattern of a subscription. */
type SettledAt =
  | { readonly kind: 'accepted'; readonly channel: OrdinaryChannel }
  | { readonly kind: 'pattern'; readonly pattern: ChannelPattern };
