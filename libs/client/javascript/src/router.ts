import type { Channel } from './channel/channel.js';
import type { Channels } from './channels.js';
import type { Position } from './channel/continuity.js';
import type { AnnotationEvent, MetaEvent, Rewound, Summary } from './channel/events.js';
import type { Histories } from './channel/history.js';
import { parsed } from './channel/message.js';
import { CarillonError } from './error.js';
import type { ReceivedFrame } from './format/frame.js';
import type { User } from './user.js';

/** The receivers of frames. */
export interface RouterParts {
  readonly vendor: string;
  /** A channel's messages also belong to those whose pattern it matches. */
  readonly channels: Pick<Channels, 'get' | 'matching'> & Iterable<Channel>;
  readonly histories: Histories;
  readonly user: User;
  /** `acks`: the service acknowledges client events on this connection. */
  readonly established: (socketId: string, activityTimeoutMs: number, acks: boolean) => void;
  readonly pong: () => void;
  readonly tokenTaken: () => void;
  readonly tokenExpired: (code: number) => void;
  readonly onError: (error: CarillonError) => void;
}

type Data = Readonly<Record<string, unknown>>;

/** Events of meta channels, by the service's names. */
const META: ReadonlySet<string> = new Set([
  'channel_occupied',
  'channel_vacated',
  'subscription_count',
  'member_added',
  'member_removed',
  'presence_update',
]);
const RATE_LIMITED = 4301;
/** Codes of temporary errors: over capacity, rate or subscription limit, store unavailable. */
const RETRYABLE: ReadonlySet<number> = new Set([4100, RATE_LIMITED, 4303]);
const UNAVAILABLE = 503;
const META_PREFIX = '[meta]';

/** The service's own events about messages: messages like any other. */
const CHANGES = /^message\.(create|update|delete|append)$/;

/** Dispatches each frame to its receiver. */
export class Router {
  constructor(private readonly parts: RouterParts) {}

  route(frame: ReceivedFrame): void {
    const { vendor } = this.parts;
    if (frame.event.startsWith(`${vendor}_internal:`)) {
      this.#internal(frame.event.slice(vendor.length + 10), frame, this.#channelOf(frame));
    } else if (frame.event.startsWith(`${vendor}:`)) {
      const name = frame.event.slice(vendor.length + 1);
      if (CHANGES.test(name)) this.#message(frame);
      else this.#own(name, frame, this.#channelOf(frame));
    } else this.#message(frame);
  }

  /** Returns the channel of a frame; frames of channels that are no longer wanted are dropped. */
  #channelOf({ channel: name }: ReceivedFrame): Channel | undefined {
    const channel = name === undefined ? undefined : this.parts.channels.get(name);
    return channel?.subscription.isWanted === true ? channel : undefined;
  }

  #message(frame: ReceivedFrame): void {
    const { channel: name = '' } = frame;
    const { channels } = this.parts;
    channels.get(name)?.subscription.receive(frame);
    for (const channel of channels.matching(name)) channel.subscription.receive(withoutPosition(frame));
  }

  #internal(name: string, frame: ReceivedFrame, channel: Channel | undefined): void {
    const data = parsed(frame.data) as Data;
    const events = channel?.subscription.events;
    if (frame.channel?.startsWith(META_PREFIX) === true && META.has(name)) {
      return events?.emit('meta', metaOf(name, data));
    }
    switch (name) {
      case 'subscription_succeeded':
        return this.#subscribed(frame, data, channel);
      case 'member_added':
      case 'presence_update':
        return channel?.presence.put(text(data['user_id']), data['user_info'] ?? {});
      case 'member_removed':
        return channel?.presence.remove(text(data['user_id']));
      case 'subscription_count':
        return events?.emit('count', Number(data['subscription_count']));
      case 'watchlist_events':
        return this.parts.user.watched(
          (data['events'] as WatchlistEvent[]).map(({ name: event, user_ids: ids }) => ({
            name: event,
            ids,
          })),
        );
      case 'annotation':
        return events?.emit('annotation', data as unknown as AnnotationEvent);
      case 'message': {
        const { serial, annotations } = data as { serial: string; annotations?: { summary?: Data } };
        const summary = annotations?.summary ?? {};
        return this.#summarized({ channel: frame.channel ?? '', messageSerial: serial, summary });
      }
      default:
        return undefined;
    }
  }

  #summarized(summary: Summary): void {
    const { channels } = this.parts;
    for (const one of [channels.get(summary.channel), ...channels.matching(summary.channel)])
      one?.subscription.events.emit('summary', summary);
  }

  #subscribed(frame: ReceivedFrame, data: Data, channel: Channel | undefined): void {
    if (channel === undefined) return;
    const { streamId, serial } = frame;
    const members = data['presence'] as { ids: string[]; hash: Record<string, unknown> } | undefined;
    if (members !== undefined) channel.presence.reset(members);
    const attachSerial = typeof data['attach_serial'] === 'number' ? data['attach_serial'] : null;
    const position = streamId === undefined || serial === undefined ? null : { streamId, serial };
    channel.subscription.succeeded(position, attachSerial);
  }

  #own(name: string, frame: ReceivedFrame, channel: Channel | undefined): void {
    const data = (parsed(frame.data) ?? {}) as Data;
    switch (name) {
      case 'connection_established':
        return this.parts.established(
          text(data['socket_id']),
          Number(data['activity_timeout']) * 1000,
          data['acks'] === true,
        );
      case 'ack':
        return this.#acknowledged(data);
      case 'error':
        return this.#refused(errorFrame(frame, data));
      case 'subscription_error':
        return channel?.subscription.failed(
          new CarillonError(text(data['error']), {
            code: Number(data['code'] ?? 0),
            channel: channel.name,
            status: RETRYABLE.has(Number(data['code'])) ? UNAVAILABLE : Number(data['status'] ?? 0),
          }),
        );
      case 'ping':
        return this.parts.pong();
      case 'signin_success':
        return this.parts.user.succeeded(text(data['user_data']));
      case 'auth_success':
        return this.parts.tokenTaken();
      case 'token_expired':
        return this.parts.tokenExpired(Number(data['code']));
      case 'cache_miss':
        return channel?.subscription.events.emit('cacheMiss', undefined);
      case 'rewind_complete':
        channel?.subscription.rewound();
        return channel?.subscription.events.emit('rewound', rewoundOf(data));
      case 'channel_history':
        return this.parts.histories.answered({ ...frame, data });
      case 'delta':
        return channel?.subscription.receiveDelta({ ...frame, data });
      case 'delta_cache_sync':
        return channel?.subscription.differences.sync(
          data['states'] as Record<string, { content: string; seq: number }[]>,
        );
      case 'resume_success':
        return this.#resumed(data);
      case 'resume_failed':
        return this.#lost(data as unknown as Failed);
      default:
        return undefined;
    }
  }

  /** The result of a sent event; a refusal also goes to the listeners of the channel's errors. */
  #acknowledged(data: Data): void {
    const subscription = this.parts.channels.get(text(data['channel']))?.subscription;
    const id = text(data['message_id']);
    if (data['ok'] === true) {
      const { stream_id: streamId, serial } = data;
      return subscription?.accepted(id, {
        streamId: typeof streamId === 'string' ? streamId : null,
        serial: typeof serial === 'number' ? serial : null,
        acknowledged: true,
      });
    }
    const code = Number(data['code'] ?? 0);
    subscription?.refused(id, new CarillonError(text(data['message']), { code, channel: subscription.name }));
  }

  #refused(error: CarillonError): void {
    const { histories, user, onError, channels } = this.parts;
    const channel = error.channel === null ? undefined : channels.get(error.channel);
    // The service did not even look at the request.
    if (channel?.state === 'subscribing' && error.code === RATE_LIMITED) {
      const { message, code } = error;
      return channel.subscription.failed(
        new CarillonError(message, { code, channel: channel.name, status: UNAVAILABLE }),
      );
    }
    // While it is being subscribed, an error is about that; requests for history wait until then.
    if (channel?.state !== 'subscribing' && histories.refused(error)) return;
    if (channel?.state === 'subscribed') channel.subscription.events.emit('error', error);
    if (error.channel === null) {
      if (user.refused(error)) return;
      // The service does not recover anything, or the request was too large: all pending recoveries fail.
      if (error.code === RATE_LIMITED || error.code === 4302) {
        for (const { subscription } of channels) subscription.notRecovered('refused', error.message);
      }
    }
    onError(error);
  }

  #resumed({ recovered, failed }: Resumed): void {
    for (const { channel, position, replayed, source } of recovered ?? []) {
      const reached: Position = {
        streamId: position.stream_id,
        serial: position.serial,
        ...(position.last_message_id === null || position.last_message_id === undefined
          ? {}
          : { lastMessageId: position.last_message_id }),
      };
      this.parts.channels.get(channel)?.subscription.recovered(reached, replayed, source);
    }
    for (const one of failed ?? []) this.#notResumed(one);
  }

  #notResumed({ channel, code, reason }: Failed): void {
    this.parts.channels.get(channel)?.subscription.notRecovered(code, reason);
  }

  /** Handles a failed resume, or an unrequested gap notice: for the channel and every pattern that matches it. */
  #lost({ channel, code, reason }: Failed): void {
    const { channels } = this.parts;
    const { subscription } = channels.get(channel) ?? {};
    if (reason === 'not_subscribed' || subscription?.notRecovered(code, reason) === true) return;
    subscription?.gapped({ code, reason });
    for (const pattern of channels.matching(channel)) pattern.subscription.gapped({ code, reason, channel });
  }
}

interface WatchlistEvent {
  readonly name: string;
  readonly user_ids: readonly string[];
}

interface Failed {
  readonly channel: string;
  readonly code: string;
  readonly reason: string;
}

interface Resumed {
  readonly recovered?: readonly {
    readonly channel: string;
    readonly source: 'hot' | 'cold';
    readonly replayed: number;
    readonly position: {
      readonly stream_id: string;
      readonly serial: number;
      readonly last_message_id?: string | null;
    };
  }[];
  readonly failed?: readonly Failed[];
}

/** Removes the stream position: a pattern has no stream, and positions of matching channels do not apply to it. */
function withoutPosition(frame: ReceivedFrame): ReceivedFrame {
  const { streamId: _stream, serial: _serial, baseText: _text, ...rest } = frame;
  return rest;
}

/** Returns a text field of the service; empty if it is absent or of another type. */
const text = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

const errorFrame = (frame: ReceivedFrame, data: Data): CarillonError =>
  new CarillonError(text(data['message'] ?? 'The service reports an error'), {
    code: Number(data['code'] ?? 0),
    channel: frame.channel ?? null,
  });

const rewoundOf = (data: Data): Rewound => ({
  historicalCount: Number(data['historical_count']),
  liveCount: Number(data['live_count']),
  complete: data['complete'] === true,
  truncatedByRetention: data['truncated_by_retention'] === true,
  truncatedByLimit: data['truncated_by_limit'] === true,
});

const metaOf = (event: string, data: Data): MetaEvent => ({
  event: event as MetaEvent['event'],
  channel: text(data['channel']),
  ...(data['subscription_count'] === undefined
    ? {}
    : { subscriptionCount: Number(data['subscription_count']) }),
  ...(data['user_id'] === undefined ? {} : { userId: text(data['user_id']) }),
});
