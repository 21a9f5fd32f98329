import { CarillonError, errorOf } from '../error.js';
import { Emitter } from '../emitter.js';
import type { Frame, ReceivedFrame, WireFormat } from '../format/frame.js';
import { backoffMs, type BackoffOptions } from './backoff.js';
import type { Clock } from './clock.js';
import { closeRule, type CloseRule } from './close-rule.js';
import type { SocketLike } from './socket.js';
import type { ConnectionState, StateChange } from './state.js';
import type { Transports } from './transports.js';

/** Dependencies of a connection. */
export interface ConnectionParts {
  readonly clock: Clock;
  readonly random: () => number;
  /** Throws where it cannot be tried at all. */
  readonly open: (address: string) => SocketLike;
  readonly format: WireFormat;
  readonly backoff: BackoffOptions;
  /** Returns the URL to connect to; called before each attempt. */
  readonly address: () => Promise<string> | string;
  /** Overrides the action for a close code; null uses the default rule of the code. */
  readonly exception?: (code: number) => CloseRule | null;
  /** Another transport is tried immediately after an attempt that failed. */
  readonly transports: Pick<Transports, 'hasNext' | 'next' | 'worked'>;
  /** The longest from the start of an attempt until it is established. */
  readonly connectTimeoutMs: number;
  /** The longest to wait for an answer to a ping. */
  readonly pongTimeoutMs: number;
  /** The longest time without a frame before a ping; a shorter value from the service takes precedence. */
  readonly activityTimeoutMs: number;
}

/** Events of a connection. */
export interface ConnectionEvents {
  readonly state: StateChange;
  readonly frame: ReceivedFrame;
}

/** The connect timeout of a transport while another one is left. */
const FALL_BACK_MS = 3000;
/** The minimum delay after a close code 41xx. */
const MUCH_LATER_MS = 1000;
/**
 * A connection that lasted less counts as a failed attempt, so that a client that is admitted and then closed does
 * not reconnect immediately in a loop.
 */
const STEADY_MS = 5000;

/** Maintains at most one socket at a time: opens it, monitors it, and reopens it according to the close code. */
export class Connection extends Emitter<ConnectionEvents> {
  #state: ConnectionState = 'initialized';
  #socket: SocketLike | null = null;
  #attempt = 0;
  /** The number of the current socket or attempt; events of earlier ones are ignored. */
  #generation = 0;
  #activityMs = 0;
  #establishedMs = 0;
  #stopTimer: () => void = () => undefined;

  constructor(private readonly parts: ConnectionParts) {
    super();
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Does nothing where it is connected or about to be; a wait is cut short. */
  connect(): void {
    if (this.#state === 'connecting' || this.#state === 'connected') return;
    void this.#open();
  }

  /** Ends it until `connect()`. */
  disconnect(): void {
    if (this.#state === 'disconnected') return;
    this.#drop(1000);
    this.#become('disconnected');
  }

  /** Called when the network was lost or has changed: drops the socket, whatever its state. */
  lost(reason: string): void {
    if (this.#state !== 'connecting' && this.#state !== 'connected') return;
    this.#drop(4999);
    this.#again('later', new CarillonError(reason));
  }

  /** Sends a ping immediately and drops the connection if no reply arrives. */
  check(): void {
    if (this.#state !== 'connected') return;
    this.#timer(this.parts.pongTimeoutMs, () => this.lost('The service does not answer any more'));
    this.send({ event: 'service:ping' });
  }

  /** Returns the delay before a retry, counted from 0. */
  waitMs(attempt: number): number {
    return Math.round(backoffMs(attempt, this.parts.backoff, this.parts.random));
  }

  /** False: there is no established connection. */
  send(frame: Frame): boolean {
    if (this.#state !== 'connected') return false;
    this.#socket?.send(this.parts.format.encode(frame));
    return true;
  }

  /** Called when the handshake is complete, with its first frame. */
  established(activityTimeoutMs: number): void {
    this.#establishedMs = this.parts.clock.now();
    this.parts.transports.worked();
    this.#activityMs = Math.min(this.parts.activityTimeoutMs, activityTimeoutMs);
    this.#watch();
    this.#become('connected');
  }

  async #open(): Promise<void> {
    this.#drop(1000);
    const generation = this.#generation;
    const isStale = (): boolean => generation !== this.#generation;
    if (this.#state !== 'connecting') this.#become('connecting');
    if (isStale()) return;
    this.#timer(this.parts.connectTimeoutMs, () => this.lost('The service did not answer in time'));
    try {
      const address = await this.parts.address();
      if (isStale()) return;
      if (this.parts.transports.hasNext) {
        const limitMs = Math.min(FALL_BACK_MS, this.parts.connectTimeoutMs);
        this.#timer(limitMs, () => this.lost('The service did not answer in time'));
      }
      this.#listen(this.parts.open(address), isStale);
    } catch (error) {
      if (isStale()) return;
      this.#drop(1000);
      this.#again('later', errorOf(error));
    }
  }

  #listen(socket: SocketLike, isStale: () => boolean): void {
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('message', ({ data }) => {
      if (!isStale()) this.#received(data);
    });
    // An error is followed by a close event with more details. Without a listener it would terminate a Node process.
    socket.addEventListener('error', () => undefined);
    socket.addEventListener('close', ({ code, reason }) => {
      if (isStale()) return;
      this.#drop(null);
      const error = new CarillonError(reason === '' ? 'The connection was lost' : reason, { code });
      this.#again(this.parts.exception?.(code) ?? closeRule(code), error);
    });
  }

  #received(data: unknown): void {
    if (this.#state === 'connected') this.#watch();
    const frame = this.parts.format.decode(data as string | ArrayBuffer);
    if (frame !== null) this.emit('frame', frame);
  }

  /** Pings after a period without frames. */
  #watch(): void {
    this.#timer(this.#activityMs, () => this.check());
  }

  #again(rule: CloseRule, reason: CarillonError): void {
    if (rule === 'stop') return this.#become('failed', { reason });
    if (this.#state === 'connecting' && this.parts.transports.next()) return void this.#open();
    const lastedMs = this.#state === 'connected' ? this.parts.clock.now() - this.#establishedMs : 0;
    const attempt = lastedMs < STEADY_MS ? this.#attempt : 0;
    this.#attempt = attempt + 1;
    const wait = this.waitMs(attempt);
    const atOnce = rule === 'at-once' && attempt === 0;
    const retryInMs = atOnce ? 0 : rule === 'much-later' ? MUCH_LATER_MS + wait : wait;
    this.#timer(retryInMs, () => void this.#open());
    this.#become('waiting', { reason, retryInMs });
  }

  /** Drops the current socket and ignores its further events; null if it is already closed. */
  #drop(code: number | null): void {
    const socket = this.#socket;
    this.#generation += 1;
    this.#socket = null;
    this.#stopTimer();
    if (socket === null || code === null) return;
    try {
      socket.close(code);
    } catch {
      // It never opened.
    }
  }

  #timer(ms: number, work: () => void): void {
    this.#stopTimer();
    this.#stopTimer = this.parts.clock.after(ms, work);
  }

  #become(current: ConnectionState, more: Partial<StateChange> = {}): void {
    const previous = this.#state;
    this.#state = current;
    this.emit('state', { previous, current, ...more });
  }
}
