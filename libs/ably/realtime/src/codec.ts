import {
  ACTION_NUMBER,
  DerivedSubject,
  encodeWire,
  fromListed,
  fromNative,
  inFormat,
  isObject,
  memberOf,
  parseJson,
  summaryOf,
  type WireFormat,
  type WireMessage,
} from '@carillon/ably-core';
import type { Expression } from '@carillon/filter';
import type { Codec, Frame, Frames, Roles } from '@carillon/realtime';
import type { Fact, Message, PresenceMember } from '@carillon/protocol';
import type { LoopShare } from '@carillon/runtime';
import { ERRORS } from '@carillon/errors';
import type { Counted, ToldKind } from './counted.js';
import { ACTION, MODE } from './flags.js';
import { frameId } from './frame-id.js';
import { summaryWith } from './summaries.js';

/** The options that select a codec. */
export interface Variant {
  readonly format: WireFormat;
  /** The channel name in frames; null: its base name. */
  readonly channelText: string | null;
  readonly modes: number;
  /** Null: all messages are delivered. */
  readonly filter: Expression | null;
}

const ENTER = 2;
const LEAVE = 3;
const UPDATE = 4;

/** The statistics category of delivered facts; other kinds are not counted. */
const WHAT: ReadonlyMap<Fact['kind'], ToldKind> = new Map([
  ['message', 'messages'],
  ['annotated', 'messages'],
  ['annotations_summarized', 'messages'],
  ['member_added', 'presence'],
  ['member_updated', 'presence'],
  ['member_removed', 'presence'],
]);

/** Filter expressions of derived channels. */
const FILTERED: ReadonlySet<Fact['kind']> = new Set(['message', 'annotations_summarized']);

interface Ending {
  readonly action: number;
  readonly code: number;
  readonly statusCode: number;
}

const error = (code: number, statusCode: number): Ending => ({ action: ACTION.error, code, statusCode });
const disconnected = (code: number, statusCode: number): Ending => ({
  action: ACTION.disconnected,
  code,
  statusCode,
});

/** The error of a closed connection by the text of its reason; other reasons permit a reconnect. */
const ENDINGS: ReadonlyMap<string, Ending> = new Map([
  [ERRORS.app_does_not_exist.text, error(40_400, 404)],
  [ERRORS.app_disabled.text, error(40_300, 403)],
  [ERRORS.origin_not_allowed.text, error(40_300, 403)],
  [ERRORS.disconnected_by_app.text, error(40_300, 403)],
  [ERRORS.over_capacity.text, error(90_003, 400)],
  [ERRORS.over_connection_quota.text, disconnected(50_004, 503)],
  [ERRORS.reconnect_requested.text, disconnected(80_003, 400)],
  [ERRORS.closed_by_rate_limit.text, disconnected(42_911, 429)],
]);

/** The filter subject of each fact, built once and shared by all filters. */
const subjects = new WeakMap<Frames, DerivedSubject>();

/** Encodes facts for Ably clients. */
export class CompatCodec implements Codec {
  constructor(
    private readonly variant: Variant,
    private readonly counted: Pick<Counted, 'encoded' | 'told'>,
    /** The codec with the same output for connections with fewer modes; null: this codec encodes itself. */
    private readonly same: CompatCodec | null = null,
    /** The part of the event loop in which derived channels are evaluated. Absent: they are evaluated immediately. */
    private readonly share?: LoopShare,
  ) {
    const isDerived = variant.filter !== null && share !== undefined;
    if (isDerived)
      this.isDeferred = (frames) => FILTERED.has(frames.fact.kind) && share.isSpent && !frames.has(this);
  }

  /** Absent for a channel that is not derived. */
  readonly isDeferred?: (frames: Frames) => boolean;

  /** The channel name in its frames, if it differs from the channel's name. */
  get view(): string | undefined {
    return this.variant.channelText ?? undefined;
  }

  get roles(): Roles {
    return {
      publishes: this.#has(MODE.PUBLISH),
      subscribes: this.#has(MODE.SUBSCRIBE),
      enters: this.#has(MODE.PRESENCE),
      seesMembers: this.#has(MODE.PRESENCE_SUBSCRIBE),
    };
  }

  encode(fact: Fact, frames: Frames): Frame | null {
    if (this.same !== null) return frames.of(this.same);
    const body = this.#frameOf(fact, frames);
    return body === null ? null : encodeWire(body, this.variant.format);
  }

  told(frames: Frames, receivers: number, appId: string): void {
    const what = WHAT.get(frames.fact.kind);
    if (what !== undefined) this.counted.told(appId, what, frames, receivers);
  }

  #frameOf(fact: Fact, frames: Frames): object | null {
    switch (fact.kind) {
      case 'message': {
        const shown = this.shown(fact, frames);
        if (shown !== null) this.counted.encoded(frames, shown);
        return this.#message(fact, shown);
      }
      case 'member_added':
        return this.#member(frames, fact.channel, fact.member, { action: ENTER, serial: fact.serial });
      case 'member_updated':
        return this.#member(frames, fact.channel, fact.member, { action: UPDATE, serial: fact.serial });
      case 'member_removed': {
        const { userId, userInfoText = '{}', socketId = '' } = fact;
        const gone = { userId, userInfoText, socketId };
        return this.#member(frames, fact.channel, gone, { action: LEAVE, serial: null });
      }
      case 'failed':
        return fact.channel === null ? endOf(fact.message) : null;
      case 'token_revoked':
        return endOf('the token is revoked');
      case 'annotated':
        return this.#has(MODE.ANNOTATION_SUBSCRIBE) ? this.#annotation(frames, fact) : null;
      case 'annotations_summarized':
        return this.#has(MODE.SUBSCRIBE) ? this.#summary(frames, fact) : null;
      case 'acknowledged':
      case 'cache_missed':
      case 'channel_counted':
      case 'channel_occupied':
      case 'channel_vacated':
      case 'delta_bases':
      case 'delta_settled':
      case 'established':
      case 'history_page':
      case 'ping':
      case 'pong':
      case 'resume_failed':
      case 'resumed':
      case 'rewound':
      case 'signed_in':
      case 'subscribed':
      case 'subscription_failed':
      case 'token_expired':
      case 'token_taken':
      case 'user_seen':
      case 'watch_begun':
      default:
        return null;
    }
  }

  #has(mode: number): boolean {
    return (this.variant.modes & mode) !== 0;
  }

  /** Returns the message for its subscribers, or null if it is not delivered to them. */
  shown(message: Message, frames: Frames): WireMessage | null {
    if (!this.#has(MODE.SUBSCRIBE)) return null;
    const shown = fromNative(message, Math.floor(frames.atMs ?? Date.now()));
    if (shown === null || !this.#lets(shown, frames)) return null;
    const summary = summaryWith(frames);
    return summary === undefined ? shown : { ...shown, annotations: { summary } };
  }

  #lets(shown: WireMessage, frames: Frames): boolean {
    const { filter } = this.variant;
    if (filter === null) return true;
    let subject = subjects.get(frames);
    if (subject === undefined) subjects.set(frames, (subject = new DerivedSubject(shown)));
    const of = subject;
    return this.share === undefined ? of.fits(filter) : this.share.measure(() => of.fits(filter));
  }

  /** The frame of a message that is shown so. */
  frame(message: Message, shown: WireMessage): Frame | null {
    const body = this.#message(message, shown);
    return body === null ? null : encodeWire(body, this.variant.format);
  }

  #message({ streamId, serial, channel }: Message, shown: WireMessage | null): object | null {
    if (shown === null) return null;
    return {
      action: ACTION.message,
      id: shown.id,
      channel: this.variant.channelText ?? channel,
      ...(streamId === null || serial === null ? {} : { channelSerial: `${streamId}:${serial}` }),
      timestamp: shown.timestamp,
      messages: [inFormat(shown, this.variant.format)],
    };
  }

  #annotation(
    frames: Frames,
    { channel, annotationText }: Extract<Fact, { kind: 'annotated' }>,
  ): object | null {
    const shown = fromListed(parseJson(annotationText));
    if (shown === null) return null;
    this.counted.encoded(frames, shown);
    return {
      action: ACTION.annotation,
      id: shown.id ?? frameId(),
      channel: this.variant.channelText ?? channel,
      timestamp: shown.timestamp,
      annotations: [inFormat(shown, this.variant.format)],
    };
  }

  #summary(
    frames: Frames,
    { channel, messageSerial: serial, summaryText }: Extract<Fact, { kind: 'annotations_summarized' }>,
  ): object | null {
    const read = parseJson(summaryText);
    const summary = isObject(read) ? summaryOf(read) : {};
    const timestamp = Date.now();
    const shown = { action: ACTION_NUMBER.summary, serial, timestamp, annotations: { summary } };
    if (!this.#lets(shown, frames)) return null;
    this.counted.encoded(frames, { data: summaryText });
    return {
      action: ACTION.message,
      id: frameId(),
      channel: this.variant.channelText ?? channel,
      timestamp,
      messages: [shown],
    };
  }

  #member(
    frames: Frames,
    channel: string,
    member: PresenceMember,
    about: { readonly action: number; readonly serial: number | null },
  ): object | null {
    if (!this.#has(MODE.PRESENCE_SUBSCRIBE)) return null;
    const timestamp = Date.now();
    const shown = memberOf(channel, member, { ...about, timestamp });
    this.counted.encoded(frames, shown);
    return {
      action: ACTION.presence,
      id: shown.id ?? frameId(),
      channel: this.variant.channelText ?? channel,
      timestamp,
      presence: [inFormat(shown, this.variant.format)],
    };
  }
}

function endOf(message: string): object {
  const { action, code, statusCode } = ENDINGS.get(message) ?? disconnected(50_003, 503);
  return { action, error: { message, code, statusCode } };
}
