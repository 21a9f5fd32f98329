import type { Frame } from '../codec.js';
import type { SubscriberSocket } from '../subscriber/subscriber.js';

/**
 * Topics of subscribers without a WebSocket: the native publish reaches WebSockets alone. A process without such
 * subscribers pays one lookup in an empty map per publish.
 */
export class HttpTopics {
  readonly #topics = new Map<string, Set<SubscriberSocket>>();

  subscribe(topic: string, socket: SubscriberSocket): boolean {
    const sockets = this.#topics.get(topic);
    if (sockets === undefined) {
      this.#topics.set(topic, new Set([socket]));
      return true;
    }
    if (sockets.has(socket)) return false;
    sockets.add(socket);
    return true;
  }

  unsubscribe(topic: string, socket: SubscriberSocket): boolean {
    const sockets = this.#topics.get(topic);
    if (sockets?.delete(socket) !== true) return false;
    if (sockets.size === 0) this.#topics.delete(topic);
    return true;
  }

  isSubscribed(topic: string, socket: SubscriberSocket): boolean {
    return this.#topics.get(topic)?.has(socket) === true;
  }

  /** Sends a frame to every socket of a topic but one. Sockets may leave the topic during the call. */
  publish(topic: string, frame: Frame, except: SubscriberSocket | null = null): void {
    if (this.#topics.size === 0) return;
    for (const socket of this.#topics.get(topic) ?? [])
      if (socket !== except) socket.send(frame, typeof frame !== 'string');
  }
}
