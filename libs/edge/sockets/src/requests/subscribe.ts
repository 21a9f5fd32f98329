import type { Channels } from '@carillon/channels';
import type { JoinRefusal, Joins, Outlet } from '@carillon/hub';
import type { HeldFilter, SharedFilters } from '@carillon/filter';
import type { FrameError, SubscribeFrame, SubscriptionErrorStatus } from '@carillon/protocol';
import type { Connection } from '../connection/connection.js';
import type { Inbound } from '../connection/speech.js';
import { ConnectionV2 } from '../v2/connection-v2.js';
import { filteredCodec } from '../v2/filtered.js';
import { subscribeVerdictV2 } from '../v2/subscribe-verdict-v2.js';
import {
  failure,
  subscribeVerdict,
  type SubscribeFailure,
  type SubscribeVerdict,
} from './subscribe-verdict.js';

/** What subscribing works with. */
export interface SubscribeParts {
  readonly channels: Channels;
  readonly outlet: Outlet;
  readonly joins: Joins;
  /** Filters in use, for protocol 2. */
  readonly filters: SharedFilters;
}

/** Judges subscribes, and says in its two frames why one came to nothing. */
export class Subscribe {
  constructor(private readonly parts: SubscribeParts) {}

  /** Undefined when it was done at once; the promise never rejects. */
  handle(
    connection: Connection,
    frame: Extract<Inbound, { readonly kind: 'subscribe' }>,
  ): Promise<void> | undefined {
    const { channels, filters } = this.parts;
    if (!(connection instanceof ConnectionV2)) {
      const asked: SubscribeFrame =
        'wantsRewind' in frame ? frame : { ...frame, wantsRewind: frame.rewind !== null };
      return this.#settle(connection, frame.channel, subscribeVerdict(connection, asked, channels), null);
    }
    if (!('filter' in frame)) return undefined;
    const { verdict, filter } = subscribeVerdictV2(connection, frame, channels, filters);
    return this.#settle(connection, frame.channel, verdict, filter);
  }

  #settle(
    connection: Connection,
    name: string,
    verdict: SubscribeVerdict,
    filter: HeldFilter | null,
  ): Promise<void> | undefined {
    const { outlet, joins } = this.parts;
    if (verdict.kind === 'accepted') {
      const { channel, member } = verdict;
      const { codec: base } = connection;
      const codec = filter === null ? base : filteredCodec(base, filter.filter);
      let isRefused = false;
      const refused = (why: JoinRefusal): void => {
        isRefused = true;
        filter?.release();
        this.refuse(connection, name, failureOf(why, name));
      };
      const joined = joins.join({ subscriber: connection, channel, member, codec, refused });
      // An earlier filter counts until the new one does; one of a connection that went is given back with it.
      if (connection instanceof ConnectionV2 && !isRefused) connection.filterBy(name, filter);
      return joined;
    }
    if (verdict.kind === 'refused') this.refuse(connection, name, verdict);
    else outlet.send(connection, { kind: 'subscribed', channel: name, members: null });
    return undefined;
  }

  /** The two frames of a failure: the first for every client, the second for the channel's own error handlers. */
  refuse(connection: Connection, channel: string, { error, status }: SubscribeFailure): void {
    this.parts.outlet.error(connection, error);
    this.failed(connection, channel, error, status);
  }

  /** The second alone. */
  failed(
    connection: Connection,
    channel: string,
    { code, message }: FrameError,
    status: SubscriptionErrorStatus,
  ): void {
    this.parts.outlet.send(connection, { kind: 'subscription_failed', channel, code, message, status });
  }
}

function failureOf(why: JoinRefusal, channel: string): SubscribeFailure {
  switch (why) {
    case 'other_member':
      return failure('forbidden', 403, channel, 'user_id must stay the same');
    case 'too_many':
      return failure('too_many_subscriptions', 400, channel);
    case 'full':
      return failure('presence_full', 503, channel);
    case 'unreachable':
    default:
      return failure('backpressure', 503, channel, 'The channel cannot be joined now, retry');
  }
}
