import { SharedFilters } from '@carillon/filter';
import type { JoinRefusal, JoinRequest, Joins, Outlet, PatternBook } from '@carillon/realtime';
import type { FrameError, SubscriptionErrorStatus } from '@carillon/protocol';
import type { Connection } from '../connection/connection.js';
import type { Judges, SubscribeFailure } from '../connection/judged.js';
import type { SubscribeRequest } from '../connection/speech.js';
import type { SocketsParts } from '../parts.js';
import { filterLimits, filterRules } from '../settings.js';
import type { Tokens } from '../v2/tokens.js';
import { failure } from './subscribe-verdict.js';

/** What subscribing works with. */
export interface SubscribeParts extends Judges {
  readonly outlet: Outlet;
  readonly joins: Joins;
  readonly patterns: PatternBook;
  /** Takes from a connection what its token does not permit; for one that got another token while it was let in. */
  readonly withdraw: (connection: Connection) => void;
}

/** Has subscribes judged, and says in its two frames why one came to nothing. */
export class Subscribe {
  constructor(private readonly parts: SubscribeParts) {}

  static of(
    { config, hub }: Pick<SocketsParts, 'config' | 'hub'>,
    tokens: Pick<Tokens, 'withdraw'>,
  ): Subscribe {
    const { channels, outlet, joins, patterns, filterShare } = hub;
    const filters = new SharedFilters(filterRules(config), filterLimits(config));
    const withdraw = (connection: Connection): void => tokens.withdraw(connection);
    return new Subscribe({ channels, filters, filterShare, outlet, joins, patterns, withdraw });
  }

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
    // What it had before counts until this does; what comes to nothing is given back.
    let isKept = false;
    const refused = (why: JoinRefusal): void => {
      view?.release();
      this.refuse(connection, name, failureOf(why, name));
    };
    const codec = view?.codec ?? connection.codec;
    const settled = (): void => {
      if (!connection.isOpen || !has(connection, name)) return;
      isKept = true;
      connection.keep(name, view);
      view?.settled?.();
    };
    const request = { ...verdict, subscriber: connection, codec, refused, settled, rewind: frame.rewind };
    const joined =
      request.kind === 'pattern' ? patterns.join(request) : joins.join(this.#withPast(connection, request));
    if (joined === undefined) return undefined;
    const { token } = connection;
    const over = (): void => {
      if (!isKept) view?.release();
      else if (connection.token !== token) this.parts.withdraw(connection);
    };
    return joined.then(over);
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

/** Whether a channel or pattern is not gone again. */
const has = ({ subscriptions, patterns }: Connection, name: string): boolean =>
  subscriptions.get(name) !== undefined || patterns?.has(name) === true;

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
