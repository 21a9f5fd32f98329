import type { Channels } from '@carillon/channels';
import type { JoinRefusal, Joins, Outlet } from '@carillon/hub';
import type { FrameError, SubscribeFrame, SubscriptionErrorStatus } from '@carillon/protocol';
import type { Connection } from '../connection/connection.js';
import { failure, subscribeVerdict, type SubscribeFailure } from './subscribe-verdict.js';

/** What subscribing works with. */
export interface SubscribeParts {
  readonly channels: Channels;
  readonly outlet: Outlet;
  readonly joins: Joins;
}

/** Judges subscribes of protocol 1, and says in its two frames why one came to nothing. */
export class Subscribe {
  constructor(private readonly parts: SubscribeParts) {}

  /** Undefined when it was done at once; the promise never rejects. */
  handle(connection: Connection, frame: SubscribeFrame): Promise<void> | undefined {
    const { channels, outlet, joins } = this.parts;
    const { channel: name } = frame;
    const verdict = subscribeVerdict(connection, frame, channels);
    if (verdict.kind === 'accepted') {
      const { channel, member } = verdict;
      const refused = (why: JoinRefusal): void => this.refuse(connection, name, failureOf(why, name));
      return joins.join({ subscriber: connection, channel, member, codec: connection.codec, refused });
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
    case 'full':
      return failure('presence_full', 503, channel);
    case 'unreachable':
    default:
      return failure('backpressure', 503, channel, 'The channel cannot be joined now, retry');
  }
}
