import { CarillonError, errorOf } from '../error.js';
import { Emitter } from '../emitter.js';
import type { Authorization, ChannelToAuthorize } from '../auth/authorizer.js';
import type { Clock } from '../connection/clock.js';
import type { Frame, ReceivedFrame } from '../format/frame.js';
import { frameOfText } from '../format/json.js';
import { Continuity, type Position } from './continuity.js';
import { type Delta, DeltaBases, type DeltaDecoder } from './delta-bases.js';
import type { ChannelEvents, ChannelState, Recovery } from './events.js';
import { subscribeData, type SubscribeOptions } from './options.js';
import { Outbox } from './outbox.js';

/** What a subscription needs of the client. */
export interface SubscriptionParts {
  readonly clock: Clock;
  readonly decoders: readonly DeltaDecoder[];
  readonly mostQueued: number;
  /** Whether this client gets what it sends, where a message does not say otherwise. */
  readonly echoes: boolean;
  /** How long to wait before it is asked again, counted from 0. */
  readonly retryMs: (attempt: number) => number;
  /** False: there is no established connection. */
  readonly send: (frame: Frame) => boolean;
  /** Null: the channel needs none. */
  readonly authorize: ((about: ChannelToAuthorize) => Promise<Authorization>) | null;
  /** A message that was not delivered yet. */
  readonly deliver: (frame: ReceivedFrame) => void;
  /** Gives the connection up: everything is recovered on the next one. */
  readonly reconnect: (reason: string) => void;
  readonly onAuthorized: (authorization: Authorization) => void;
}

/** From this status on the service, or the app's own server, could not answer now and may be asked again. */
const RETRY_FROM = 500;
/** So many frames are held while a channel is repaired. */
const MOST_HELD = 5000;

/** One channel as the service knows it on the present connection, and what must outlive connections. */
export class Subscription {
  readonly events = new Emitter<ChannelEvents>();
  readonly outbox: Outbox;
  options: SubscribeOptions = {};
  #state: ChannelState = 'idle';
  #socketId: string | null = null;
  #continuity = new Continuity();
  readonly #bases: DeltaBases;
  /** Of the latest request to subscribe: answers to earlier ones, and what they led to, count no more. */
  #request = 0;
  /** As told with the last success; null: the channel keeps none. */
  #told: Position | null = null;
  #wasSubscribed = false;
  /** The service has a request to subscribe that it did not answer yet. */
  #isAsking = false;
  #isRecovering = false;
  #isRewinding = false;
  /** Whether the latest request was for the past too. */
  #rewinds = false;
  /** How often it was asked in vain since the last success. */
  #attempt = 0;
  #stopRetry: () => void = () => undefined;
  #failure: CarillonError | null = null;
  /** Frames that wait for a repair; null: there is none. */
  #held: ReceivedFrame[] | null = null;

  constructor(
    readonly name: string,
    private readonly parts: SubscriptionParts,
  ) {
    this.outbox = new Outbox(parts.mostQueued);
    this.#bases = new DeltaBases(parts.decoders);
  }

  get state(): ChannelState {
    return this.#state;
  }

  /** Why it failed; null: it did not. */
  get failure(): CarillonError | null {
    return this.#state === 'failed' ? this.#failure : null;
  }

  get isWanted(): boolean {
    return this.#state !== 'idle';
  }

  /** Where to resume on a new connection; null: there is nothing to resume. */
  get resumable(): Position | null {
    return this.#wasSubscribed && this.#told !== null && !this.#isRewinding
      ? this.#continuity.position
      : null;
  }

  want(options: SubscribeOptions): void {
    this.options = options;
    if (this.#state !== 'subscribed') this.#become('subscribing');
    if (this.#socketId !== null) void this.#ask(true);
  }

  unwant(): void {
    if (this.#state === 'idle') return;
    if (this.#socketId !== null)
      this.parts.send({ event: 'service:unsubscribe', data: { channel: this.name } });
    this.#stopAsking();
    this.#wasSubscribed = false;
    this.#isRecovering = false;
    this.#isAsking = false;
    this.#held = null;
    this.#told = null;
    this.#continuity = new Continuity();
    this.#bases.forget();
    this.#become('idle');
  }

  /** A connection is established. `isResumed`: the service has been asked to recover the channel on it. */
  connected(socketId: string, isResumed: boolean): void {
    this.#socketId = socketId;
    if (!this.isWanted) return;
    this.#isRecovering = isResumed;
    if (this.#state === 'failed') this.#become('subscribing');
    void this.#ask(!isResumed);
  }

  disconnected(): void {
    this.#socketId = null;
    this.#stopAsking();
    this.#isRecovering = false;
    this.#isAsking = false;
    this.#held = null;
    this.#bases.forget();
    this.#continuity.seal();
    this.outbox.lost();
    if (this.#state === 'subscribed') this.#become('subscribing');
  }

  #stopAsking(): void {
    this.#request += 1;
    this.#stopRetry();
  }

  async #ask(rewinds: boolean): Promise<void> {
    this.#stopAsking();
    this.#rewinds = rewinds;
    const request = this.#request;
    this.#isAsking = true;
    const { authorize, send } = this.parts;
    const socketId = this.#socketId ?? '';
    try {
      const authorization = authorize === null ? null : await authorize({ socketId, channel: this.name });
      if (request !== this.#request) return;
      if (authorization !== null) this.parts.onAuthorized(authorization);
      this.#isRewinding = rewinds && this.options.rewind !== undefined;
      const { shared_secret: _, ...signed } = authorization ?? {};
      const wishes = subscribeData(this.options, rewinds);
      send({ event: 'service:subscribe', data: { channel: this.name, ...signed, ...wishes } });
    } catch (error) {
      if (request !== this.#request) return;
      const { message, status = null } = errorOf(error) as Partial<CarillonError> & Error;
      this.failed(new CarillonError(message, { channel: this.name, status }));
    }
  }

  /** The service says that it is subscribed, at this position. */
  succeeded(position: Position | null, attachSerial: number | null): void {
    if (!this.isWanted) return;
    const isBack = this.#wasSubscribed && this.#state === 'subscribing';
    this.#wasSubscribed = true;
    this.#isAsking = false;
    this.#attempt = 0;
    this.#told = position;
    if (!this.#isRecovering) this.#continuity.attach(position);
    this.#become('subscribed');
    this.events.emit('subscribed', { attachSerial });
    if (isBack && !this.#isRecovering) {
      this.#tell({ recovered: false, code: 'not_available', reason: 'the channel keeps no positions' });
    }
    for (const { frame, sentMs } of this.outbox.take(this.parts.clock.now())) {
      try {
        this.publish(frame, sentMs);
      } catch (error) {
        // It cannot be written: no reason to lose what waits behind it.
        this.events.emit('error', new CarillonError(errorOf(error).message, { channel: this.name }));
      }
    }
  }

  failed(error: CarillonError): void {
    const wasAsked = this.#isAsking;
    this.#isAsking = false;
    this.#failure = error;
    if (wasAsked && (error.status ?? 0) >= RETRY_FROM) {
      this.#stopRetry = this.parts.clock.after(
        this.parts.retryMs(this.#attempt++),
        () => void this.#ask(this.#rewinds),
      );
      // A refused change leaves the earlier subscription; what is refused without being asked for is taken away.
    } else if (this.#state === 'subscribing' || !wasAsked) this.#become('failed');
    this.events.emit('error', error);
  }

  /** The service has sent everything that was missed. */
  recovered(position: Position, replayed: number, source: 'hot' | 'cold'): void {
    if (!this.#isRecovering && this.#held === null) return;
    this.#isRecovering = false;
    this.#release();
    this.#continuity.advance(position);
    this.#tell({ recovered: true, replayed, source });
  }

  /** The service cannot say what was missed. A rewind brings back what it can. */
  notRecovered(code: string, reason: string): void {
    if (!this.#isRecovering && this.#held === null) return;
    this.#isRecovering = false;
    this.#continuity.attach(this.#told);
    this.#release();
    // Not subscribed yet: the subscription will say so.
    if (this.#state !== 'subscribed') return;
    this.#tell({ recovered: false, code, reason });
    if (this.options.rewind !== undefined) void this.#ask(true);
  }

  rewound(): void {
    this.#isRewinding = false;
  }

  /** A message, maybe a repeated one. */
  receive(frame: ReceivedFrame): void {
    if (!this.isWanted) return;
    const { baseText, sequence, group = '', message_id: id } = frame;
    if (baseText !== undefined && sequence !== undefined) this.#bases.keep(group, sequence, baseText);
    this.outbox.confirm(id);
    if (this.#held === null || frame.serial === undefined) return this.#take(frame);
    this.#held.push(frame);
    if (this.#held.length > MOST_HELD) this.parts.reconnect('Too many messages came during a repair');
  }

  /** A message of which only the difference came. */
  receiveDelta(frame: ReceivedFrame): void {
    const text = this.#bases.apply(frame.data as Delta);
    const whole = text === null ? null : frameOfText(text);
    if (whole !== null) return this.receive(whole);
    this.#repair();
  }

  /** What the next differences of each group will be of. */
  syncBases(
    states: Readonly<Record<string, readonly { readonly content: string; readonly seq: number }[]>>,
  ): void {
    for (const [group, bases] of Object.entries(states)) {
      for (const { content, seq } of bases) this.#bases.keep(group, seq, content);
    }
  }

  /** A difference did not fit: the service starts over, and sends again what could not be read. */
  #repair(): void {
    if (this.#held !== null || this.#isRecovering) return;
    const { send } = this.parts;
    this.#bases.forget();
    send({ event: 'service:delta_sync_error', data: { channel: this.name } });
    const position = this.resumable;
    if (position === null) {
      this.#tell({ recovered: false, code: 'delta_failed', reason: 'a difference did not fit' });
      return;
    }
    this.#held = [];
    send({ event: 'service:resume', data: { channel_positions: { [this.name]: positionToWire(position) } } });
  }

  #release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const frame of held.sort((a, b) => (a.serial ?? 0) - (b.serial ?? 0))) this.#take(frame);
  }

  #take(frame: ReceivedFrame): void {
    const taken = this.#continuity.take(frame);
    if (taken === 'duplicate') return;
    if (taken === 'reset') {
      this.#tell({ recovered: false, code: 'stream_reset', reason: 'the channel has a new stream' });
    }
    this.parts.deliver(frame);
  }

  /** Sends now, or keeps it until that is possible. Throws where too much waits already. */
  publish(frame: Frame, sentMs = this.parts.clock.now()): void {
    const { echo, ephemeral } = frame.extras ?? {};
    if (this.#state === 'subscribed' && this.parts.send(frame)) {
      if (echo ?? this.parts.echoes) this.outbox.sent(frame, sentMs);
    } else if (ephemeral !== true) this.outbox.wait(frame);
  }

  #tell(recovery: Recovery): void {
    this.events.emit('recovery', recovery);
  }

  #become(state: ChannelState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.events.emit('state', state);
  }
}

/** A position in the words of the wire. */
export const positionToWire = ({ streamId, serial, lastMessageId }: Position) => ({
  stream_id: streamId,
  serial,
  ...(lastMessageId === undefined ? {} : { last_message_id: lastMessageId }),
});
