import { SharedFilters } from '@carillon/filter';
import type { JoinRefusal, JoinRequest, Joins, Outlet, PatternBook, Recovery } from '@carillon/realtime';
import {
  type AttachPoint,
  type FrameError,
  recoveryFailure,
  type SubscriptionErrorStatus,
} from '@carillon/protocol';
import type { Connection } from '../connection/connection.js';
import type { Judged, Judges, SubscribeFailure } from '../connection/judged.js';
import type { SubscribeRequest } from '../connection/speech.js';
import type { SocketsParts } from '../parts.js';
import { filterLimits, filterRules } from '../settings.js';
import type { Tokens } from '../v2/tokens.js';
import type { FreshApps } from './fresh-apps.js';
import { failure } from './subscribe-verdict.js';

/** Dependencies of {@link Subscribe}. */
export interface SubscribeParts extends Judges {
  readonly outlet: Outlet;
  readonly joins: Joins;
  readonly patterns: PatternBook;
  readonly apps: FreshApps;
  /**
   * Ends the subscriptions that the connection's token does not permit. Needed if the token was replaced during
   * admission.
   */
  readonly withdraw: (connection: Connection) => void;
}

/** Hooks of an event stream between the stages of a join. */
export interface JoinStages {
  /** Awaited when the channel is joined, before `subscribed`. Never rejects. */
  readonly turn: (attach?: AttachPoint | null) => Promise<void>;
  /** The position from which it resumes; null: it begins here. */
  readonly recovery: (attach: AttachPoint | null) => Recovery | null;
  /** Called instead of the two frames of a failure. */
  readonly refused: (failure: SubscribeFailure) => void;
}

/** Handles subscribes: validates them and reports failures in two frames. */
export class Subscribe {
  constructor(private readonly parts: SubscribeParts) {}

  static of(
    { config, hub, apps }: Pick<SocketsParts, 'apps' | 'config' | 'hub'>,
    tokens: Pick<Tokens, 'withdraw'>,
  ): Subscribe {
    const { channels, outlet, joins, patterns, filterShare } = hub;
    const filters = new SharedFilters(filterRules(config), filterLimits(config));
    const withdraw = (connection: Connection): void => tokens.withdraw(connection);
    return new Subscribe({ apps, channels, filters, filterShare, outlet, joins, patterns, withdraw });
  }

  /** Returns undefined if it completed synchronously; the promise never rejects. */
  handle(connection: Connection, frame: SubscribeRequest): Promise<void> | undefined {
    return this.join(connection, frame, this.judge(connection, frame));
  }

  /**
   * Validates as far as this process can decide locally. A returned view must be released if the channel is not
   * joined.
   */
  judge(connection: Connection, frame: SubscribeRequest): Judged {
    return connection.judge(frame, this.parts);
  }

  /**
   * Carries out a verdict. Returns undefined if it completed synchronously; the promise never rejects.
   *
   * A signature that no known secret made is judged once more after the app was read from its store.
   */
  join(
    connection: Connection,
    frame: SubscribeRequest,
    judged: Judged,
    stages: JoinStages | null = null,
  ): Promise<void> | undefined {
    const { verdict } = judged;
    const fresh =
      verdict.kind === 'refused' && verdict.isUnsigned === true
        ? this.parts.apps.fresh(connection.hub.appId)
        : undefined;
    return fresh === undefined
      ? this.#settle(connection, frame, judged, stages)
      : this.#judgeAgain(connection, frame, fresh, stages);
  }

  /** The hub takes the credentials of a changed app when its store is read. */
  async #judgeAgain(
    connection: Connection,
    frame: SubscribeRequest,
    fresh: Promise<unknown>,
    stages: JoinStages | null,
  ): Promise<void> {
    const isRead = await fresh.then(
      () => true,
      () => false,
    );
    if (!connection.isOpen) return;
    if (isRead) await this.#settle(connection, frame, this.judge(connection, frame), stages);
    else this.#refusal(connection, frame, stages)(appUnreadable(frame.channel));
  }

  #refusal(
    connection: Connection,
    { channel }: SubscribeRequest,
    stages: JoinStages | null,
  ): (failed: SubscribeFailure) => void {
    return stages?.refused ?? ((failed) => this.refuse(connection, channel, failed));
  }

  #settle(
    connection: Connection,
    frame: SubscribeRequest,
    { verdict, view }: Judged,
    stages: JoinStages | null,
  ): Promise<void> | undefined {
    const { outlet, joins, patterns } = this.parts;
    const { channel: name } = frame;
    const refuse = this.#refusal(connection, frame, stages);
    if (verdict.kind === 'refused') {
      refuse(verdict);
      return undefined;
    }
    if (verdict.kind === 'acknowledged') {
      if (stages !== null) return this.#acknowledgeInTurn(connection, name, stages);
      outlet.send(connection, { kind: 'subscribed', channel: name, members: null });
      return undefined;
    }
    // The previous view stays in effect until the new one replaces it; an unused view is released.
    let isKept = false;
    const refused = (why: JoinRefusal): void => {
      view?.release();
      refuse(failureOf(why, name));
    };
    const codec = view?.codec ?? connection.codec;
    const settled = (): void => {
      if (!connection.isOpen || !has(connection, name)) return;
      isKept = true;
      connection.keep(name, view);
      view?.settled?.();
      if (verdict.kind === 'pattern') this.#tellUnplaced(connection, name, stages);
    };
    const { turn, recovery } = stages ?? {};
    const request = {
      ...verdict,
      subscriber: connection,
      codec,
      refused,
      settled,
      rewind: frame.rewind,
      ...(turn === undefined ? {} : { turn }),
      ...(recovery === undefined ? {} : { recovery }),
    };
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

  async #acknowledgeInTurn(connection: Connection, name: string, stages: JoinStages): Promise<void> {
    await stages.turn();
    if (!connection.isOpen) return;
    this.parts.outlet.send(connection, { kind: 'subscribed', channel: name, members: null });
    this.#tellUnplaced(connection, name, stages);
  }

  /** Reports to a resuming client that a channel without a position cannot be resumed. */
  #tellUnplaced(connection: Connection, name: string, stages: JoinStages | null): void {
    const recovery = stages?.recovery(null) ?? null;
    if (recovery === null) return;
    const { position, unusable } = recovery;
    const failure = recoveryFailure(name, unusable ?? 'no_position', position, null);
    this.parts.outlet.send(connection, { kind: 'resume_failed', failure });
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

/** Whether a channel or pattern is still subscribed. */
const has = ({ subscriptions, patterns }: Connection, name: string): boolean =>
  subscriptions.get(name) !== undefined || patterns?.has(name) === true;

const appUnreadable = (channel: string): SubscribeFailure =>
  failure('service_unavailable', 503, channel, 'The app cannot be looked up now, retry');

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
