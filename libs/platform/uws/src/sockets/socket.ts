import type { WebSocket as NativeSocket } from 'uWebSockets.js';
import { type Message, sendable } from '../text.js';

/**
 * What became of a message: on its way, kept until the client reads (see `drain`), thrown away because too much is
 * kept already, or nothing because the socket is closed.
 */
export type SendOutcome = 'sent' | 'buffered' | 'dropped' | 'closed';

/** What the native socket carries: the way back to ours. */
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
 * One connection. Every method may be called at any time: once the socket is closed they do nothing and say so,
 * where the native one would throw.
 */
export class Socket<State> {
  /** What `upgrade` accepted the connection with, or what was put there since. */
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

  /** Sends to every other socket subscribed to the topic. False: nobody is, this one is not, or it is closed. */
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

  /** The room's own: the connection is there. */
  opened(native: NativeSocket<SocketData<State>>): void {
    this.#native = native;
  }

  /** The room's own: the native socket may not be touched any more. */
  closed(): void {
    this.#native = null;
  }
}
