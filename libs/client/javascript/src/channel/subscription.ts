import { CarillonError, errorOf } from '../error.js';
import { Emitter } from '../emitter.js';
import type { Frame, ReceivedFrame } from '../format/frame.js';
import { Asking, type AskingParts } from './asking.js';
import { Continuity, type Position } from './continuity.js';
import type { DeltaDecoder } from './delta-bases.js';
import { Differences } from './differences.js';
import type { ChannelEvents, ChannelState, Recovery } from './events.js';
import type { SubscribeOptions } from './options.js';
import { Outbox } from './outbox.js';
import { type Receipt, Receipts, type Sending } from './receipts.js';
import { resumeFrame } from './resuming.js';

/** The client dependencies of a subscription. */
export interface SubscriptionParts extends AskingParts {
  readonly decoders: readonly DeltaDecoder[];
  readonly mostQueued: number;
  /** Whether this client receives its own messages by default. */
  readonly echoes: boolean;
  /** Whether the service acknowledges events on the current connection. */
  readonly acks: () => boolean;
  /** A message that was not delivered yet. */
  readonly deliver: (frame: ReceivedFrame) => void;
  /** Gives the connection up: everything is recovered on the next one. */
  readonly reconnect: (reason: string) => void;
}

/** The state of one channel on the current connection, and the state that outlives connections. */
export class Subscription {
  readonly events = new Emitter<ChannelEvents>();
  /** Emits when the client will not reconnect automatically. */
  readonly ends = new Emitter<{ readonly ended: CarillonError }>();
  readonly outbox: Outbox;
  readonly differences: Differences;
  readonly #receipts: Receipts;
  options: SubscribeOptions = {};
  #state: ChannelState = 'idle';
  #socketId: string | null = null;
  #continuity = new Continuity();
  readonly #asking: Asking;
  /** The position from the last successful subscribe; null if the channel has no stream. */
  #told: Position | null = null;
  #wasSubscribed = false;
  /** Whether the filter changed since the last subscribe. */
  #isOther = false;
  #isRecovering = false;
  #failure: CarillonError | null = null;

  constructor(
    readonly name: string,
    private readonly parts: SubscriptionParts,
  ) {
    this.outbox = new Outbox(parts.mostQueued);
    this.differences = new Differences(parts.decoders);
    this.#receipts = new Receipts(name, parts.clock);
    this.#asking = new Asking(name, parts, (error) => this.failed(error));
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

  /** The position to resume from on a new connection; null if there is nothing to resume. */
  get resumable(): Position | null {
    return this.#wasSubscribed && this.#told !== null && !this.#asking.isRewinding
      ? this.#continuity.position
      : null;
  }

  want(options: SubscribeOptions): void {
    this.#isOther ||= JSON.stringify(options.filter) !== JSON.stringify(this.options.filter);
    this.options = options;
    if (this.#state !== 'subscribed') this.#become('subscribing');
    if (this.#socketId !== null) this.#ask(true);
  }

  unwant(): void {
    if (this.#state === 'idle') return;
    if (this.#socketId !== null)
      this.parts.send({ event: 'service:unsubscribe', data: { channel: this.name } });
    this.#asking.stop();
    this.#wasSubscribed = false;
    this.#isRecovering = false;
    this.#told = null;
    this.#continuity = new Continuity();
    this.differences.forget();
    this.#become('idle');
  }

  /** A connection is established. `isResumed`: the service has been asked to recover the channel on it. */
  connected(socketId: string, isResumed: boolean): void {
    this.#socketId = socketId;
    if (!this.isWanted) return;
    this.#isRecovering = isResumed;
    if (this.#state === 'failed') this.#become('subscribing');
    this.#ask(!isResumed);
  }

  disconnected(): void {
    this.#socketId = null;
    this.#asking.stop();
    this.#isRecovering = false;
    this.differences.forget();
    this.#continuity.seal();
    this.outbox.lost();
    if (this.#state === 'subscribed') this.#become('subscribing');
  }

  #ask(rewinds: boolean): void {
    void this.#asking.ask(this.#socketId ?? '', this.options, rewinds);
  }

  /** Called when the service confirms the subscription at this position. */
  succeeded(position: Position | null, attachSerial: number | null): void {
    if (!this.isWanted) return;
    const isBack = this.#wasSubscribed && this.#state === 'subscribing';
    this.#wasSubscribed = true;
    this.#asking.succeeded();
    this.#told = position;
    if (!this.#isRecovering) this.#continuity.attach(position, this.#isOther);
    this.#isOther = false;
    this.#become('subscribed');
    this.events.emit('subscribed', { attachSerial });
    if (isBack && !this.#isRecovering) {
      this.#tell({ recovered: false, code: 'not_available', reason: 'the channel keeps no positions' });
    }
    for (const { frame, ...past } of this.outbox.take(this.parts.clock.now(), (lost) =>
      this.#expired(lost),
    )) {
      try {
        this.#publish(frame, past);
      } catch (error) {
        // The event cannot be encoded. Later events must not be lost because of it.
        this.refused(frame.messageId ?? '', errorOf(error, this.name));
      }
    }
  }

  failed(error: CarillonError): void {
    this.#failure = error;
    const came = this.#asking.failed(error.status);
    // A refused change leaves the earlier subscription in effect; an unrequested error means that the subscription
    // was revoked.
    if (came === 'unasked' || (came === 'refused' && this.#state === 'subscribing')) this.#become('failed');
    this.events.emit('error', error);
  }

  /** The service has sent everything that was missed. */
  recovered(position: Position, replayed: number, source: 'hot' | 'cold'): void {
    if (!this.#isWaiting) return;
    this.#isRecovering = false;
    this.#release();
    this.#continuity.advance(position);
    this.#tell({ recovered: true, replayed, source });
  }

  /**
   * Called when the service cannot recover missed messages. A rewind restores those it covers. Returns false if no
   * recovery was pending.
   */
  notRecovered(code: string, reason: string): boolean {
    if (!this.#isWaiting) return false;
    this.#isRecovering = false;
    this.#continuity.attach(this.#told);
    this.#release();
    this.gapped({ code, reason });
    return true;
  }

  /** Whether it awaits missed messages, after a lost connection or for a failed delta. */
  get #isWaiting(): boolean {
    return this.#isRecovering || this.differences.areRepaired;
  }

  /**
   * Reports lost messages; for a pattern, of one channel. Ignored before the subscription, which will report the gap
   * itself.
   */
  gapped(gap: { readonly code: string; readonly reason: string; readonly channel?: string }): void {
    if (this.#state !== 'subscribed') return;
    this.#tell({ recovered: false, ...gap });
    if (this.options.rewind !== undefined) this.#ask(true);
  }

  rewound(): void {
    this.#asking.isRewinding = false;
  }

  /** A message, maybe a repeated one. */
  receive(frame: ReceivedFrame): void {
    if (!this.isWanted) return;
    this.differences.keep(frame);
    this.outbox.confirm(frame.messageId);
    const held = this.differences.hold(frame);
    if (held === 'now') this.#take(frame);
    if (held === 'overflow') this.parts.reconnect('Too many messages came during a repair');
  }

  /** Receives a delta. One that cannot be applied requests a resync from the service. */
  receiveDelta(frame: ReceivedFrame): void {
    const whole = this.differences.whole(frame);
    if (whole !== null) return this.receive(whole);
    if (this.#isWaiting) return;
    const { send } = this.parts;
    const position = this.resumable;
    this.differences.startOver(position !== null);
    send({ event: 'service:delta_sync_error', data: { channel: this.name } });
    if (position !== null) send(resumeFrame([[this.name, position]]));
    else this.#tell({ recovered: false, code: 'delta_failed', reason: 'a difference did not fit' });
  }

  #release(): void {
    for (const frame of this.differences.release()) this.#take(frame);
  }

  #take(frame: ReceivedFrame): void {
    const taken = this.#continuity.take(frame);
    if (taken === 'duplicate') return;
    if (taken === 'reset') {
      this.#tell({ recovered: false, code: 'stream_reset', reason: 'the channel has a new stream' });
    }
    this.parts.deliver(frame);
  }

  /** Sends an event now, or keeps it until the channel is subscribed. */
  publish(frame: Frame & { readonly messageId: string }, timeoutMs: number): Sending {
    const { messageId: id } = frame;
    const sending = this.#receipts.of(id, timeoutMs, () => this.outbox.remove(id));
    try {
      this.#publish(frame, { sentMs: this.parts.clock.now(), again: 0 });
    } catch (error) {
      this.#receipts.reject(id, error instanceof CarillonError ? error : errorOf(error, this.name));
    }
    return sending;
  }

  /** Throws if the frame cannot be written or kept. */
  #publish(frame: Frame, past: { readonly sentMs: number; readonly again: number }): void {
    const { echo, ephemeral } = frame.extras ?? {};
    const acks = this.parts.acks();
    if (this.#state === 'subscribed' && this.parts.send(frame)) {
      if (acks || (echo ?? this.parts.echoes)) this.outbox.sent({ frame, ...past });
      const written = { streamId: null, serial: null, acknowledged: false };
      if (!acks) this.#receipts.resolve(frame.messageId ?? '', written);
    } else if (ephemeral !== true) this.outbox.wait(frame);
    else throw this.#disconnected('There is no connection to send an ephemeral event on');
  }

  /** The service has accepted an event. */
  accepted(id: string, result: Omit<Receipt, 'id'>): void {
    this.outbox.confirm(id);
    this.#receipts.resolve(id, result);
  }

  /** The service has refused an event, or it cannot be written. */
  refused(id: string, error: CarillonError): void {
    this.outbox.confirm(id);
    this.#receipts.reject(id, error);
    this.events.emit('error', error);
  }

  /** Called when the client will not reconnect automatically. */
  ended(reason: CarillonError): void {
    this.outbox.clear();
    this.#receipts.rejectAll(this.#disconnected(reason.message));
    this.ends.emit('ended', reason);
  }

  #expired({ messageId = '' }: Frame): void {
    const text = 'The connection was lost repeatedly, or for too long, before the event was acknowledged';
    this.#receipts.reject(messageId, this.#disconnected(text));
  }

  #disconnected(text: string): CarillonError {
    return new CarillonError(text, { channel: this.name, reason: 'disconnected' });
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
