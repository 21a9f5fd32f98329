import type { JoinRefusal, JoinRequest, Joins, Outlet, PatternBook } from '@carillon/hub';
import type { FrameError, SubscriptionErrorStatus } from '@carillon/protocol';
import type { Connection } from '../connection/connection.js';
import type { Judges, SubscribeFailure } from '../connection/judged.js';
import type { SubscribeRequest } from '../connection/speech.js';
import { failure } from './subscribe-verdict.js';

/** What subscribing works with. */
export interface SubscribeParts extends Judges {
  readonly outlet: Outlet;
  readonly joins: Joins;
  readonly patterns: PatternBook;
}

/** Has subscribes judged, and says in its two frames why one came to nothing. */
export class Subscribe {
  constructor(private readonly parts: SubscribeParts) {}

  /** Undefined when it was done at once; the promise never rejects. */
  handle(connection: Connection, frame: SubscribeRequest): Promise<void> | undefined {
    const { outlet, joins, patterns } = this.parts;
    const { channel: name } = frame;
    const { verdict, view } = connection.judge(frame, this.parts);
    if (verdict.kind === 'refused') {
      this.refuse(connection, name, verdict);
      return undefined;
    }
    if (verdict.kind === 'acknowledged') {
      outlet.send(connection, { kind: 'subscribed', channel: name, members: null });
      return undefined;
    }
    let isRefused = false;
    const refused = (why: JoinRefusal): void => {
      isRefused = true;
      view?.release();
      this.refuse(connection, name, failureOf(why, name));
    };
    const codec = view?.codec ?? connection.codec;
    const settled = (): void => view?.settled?.();
    const request = { ...verdict, subscriber: connection, codec, refused, settled, rewind: frame.rewind };
    const joined =
      request.kind === 'pattern' ? patterns.join(request) : joins.join(this.#withPast(connection, request));
    // What it had before counts until this does; of a connection that went it is given back with it.
    if (!isRefused) connection.keep(name, view);
    return joined;
  }

  #withPast<Request extends JoinRequest>(connection: Connection, request: Request): Request {
    const beforeLive = connection.beforeLive(request.channel, request.codec);
    return beforeLive === undefined ? request : { ...request, beforeLive };
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
    case 'no_position':
      return failure('service_unavailable', 503, channel, 'Where the channel stands cannot be told, retry');
    case 'unreachable':
    default:
      return failure('backpressure', 503, channel, 'The channel cannot be joined now, retry');
  }
}
