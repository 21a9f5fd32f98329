import type { WebSocket as NativeSocket } from 'uWebSockets.js';
import { normalizeAddress } from '../ip-address.js';
import { type Message, sendable } from '../text.js';

/**
 * Outcome of a send: sent, buffered until the client reads (see `drain`), dropped because the buffer is full, or
 * ignored because the socket is closed.
 */
export type SendOutcome = 'sent' | 'buffered' | 'dropped' | 'closed';

/** User data of the native socket: a reference to ours. */
export interface SocketData<State> {
  owner: Socket<State>;
}

const OUTCOMES: readonly SendOutcome[] = ['buffered', 'sent', 'dropped'];

/** A close frame has room for 123 bytes of reason. */
const MAX_REASON_BYTES = 123;

function closeReason(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_REASON_BYTES) return text;
  return new TextDecoder().decode(bytes.subarray(0, MAX_REASON_BYTES)).replace(/\uFFFD+$/, '');
}

/**
 * One connection. Methods may be called at any time: on a closed socket they do nothing and report so, where the
 * native one would throw.
 */
export class Socket<State> {
  /** State passed to the accepted upgrade, or set since. */
  state: State;
  #native: NativeSocket<SocketData<State>> | null = null;

  constructor(state: State) {
    this.state = state;
  }

  get isOpen(): boolean {
    return this.#native !== null;
  }

  /** Bytes kept because the client does not read fast enough. */
  get bufferedBytes(): number {
    return this.#native?.getBufferedAmount() ?? 0;
  }

  /** Normalized address of the other end of the connection; null on a Unix socket or when it is closed. */
  get remoteAddress(): string | null {
    const native = this.#native;
    return native === null ? null : normalizeAddress(Buffer.from(native.getRemoteAddressAsText()).toString());
  }

  send(message: Message, isBinary = false, compress = false): SendOutcome {
    const native = this.#native;
    return native === null
      ? 'closed'
      : (OUTCOMES[native.send(sendable(message), isBinary, compress)] ?? 'dropped');
  }

  ping(message?: Message): SendOutcome {
    const native = this.#native;
    return native === null ? 'closed' : (OUTCOMES[native.ping(sendable(message ?? ''))] ?? 'dropped');
  }

  /** False when it was subscribed already, or is closed. */
  subscribe(topic: string): boolean {
    return this.#native?.subscribe(topic) ?? false;
  }

  /** False when it was not subscribed, or is closed. */
  unsubscribe(topic: string): boolean {
    return this.#native?.unsubscribe(topic) ?? false;
  }

  isSubscribed(topic: string): boolean {
    return this.#native?.isSubscribed(topic) ?? false;
  }

  /**
   * Sends to every other socket subscribed to the topic. False: no other subscriber, this one is not subscribed, or
   * it is closed.
   */
  publish(topic: string, message: Message, isBinary = false, compress = false): boolean {
    return this.#native?.publish(topic, sendable(message), isBinary, compress) ?? false;
  }

  /** Runs the work with all its sends leaving as one piece; does not run it when closed. */
  cork(work: () => void): void {
    const native = this.#native;
    if (native === null) return;
    let failure: { readonly error: unknown } | undefined;
    native.cork(() => {
      try {
        work();
      } catch (error) {
        failure = { error };
      }
    });
    if (failure !== undefined) throw failure.error;
  }

  /** Closes with a close frame; `close` of the handlers runs before this returns. */
  end(code = 1000, reason = ''): void {
    this.#native?.end(code, sendable(closeReason(reason)));
  }

  /** Drops the connection without a close frame. */
  terminate(): void {
    this.#native?.close();
  }

  /** Internal to the package: the connection was established. */
  opened(native: NativeSocket<SocketData<State>>): void {
    this.#native = native;
  }

  /** Internal to the package: the native socket must not be used any longer. */
  closed(): void {
    this.#native = null;
  }
}
