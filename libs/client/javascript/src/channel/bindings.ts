import { type Listener, type Stop, tellAll } from '../emitter.js';
import type { Message } from './message.js';

type Bound = (data: never, message: Message<never>) => void;

/** The lifetime of a listener: until it is removed, or for one message. */
type Stay = 'each' | 'once';

/** Listeners of a channel's messages, by event and of all events. */
export class Bindings {
  readonly #byEvent = new Map<string, Map<Bound, Stay>>();
  /** With each, whether the caller added it; the client's own listeners are not removed by `removeAll`. */
  readonly #ofAll = new Map<Listener<Message>, 'caller' | 'client'>();

  add(event: string, listener: Bound, stay: Stay): Stop {
    const listeners = this.#byEvent.get(event) ?? new Map<Bound, Stay>();
    this.#byEvent.set(event, listeners.set(listener, stay));
    return () => this.remove(event, listener);
  }

  addToAll(listener: Listener<Message>, owner: 'caller' | 'client'): Stop {
    this.#ofAll.set(listener, owner);
    return () => void this.#ofAll.delete(listener);
  }

  /** Without a listener: all of the event. Without an event: the listener wherever it is, or all. */
  remove(event?: string, listener?: Bound): void {
    if (event === undefined && listener === undefined) return this.removeAll();
    for (const name of event === undefined ? [...this.#byEvent.keys()] : [event]) {
      const listeners = this.#byEvent.get(name);
      if (listener === undefined) listeners?.clear();
      else listeners?.delete(listener);
      if (listeners?.size === 0) this.#byEvent.delete(name);
    }
    if (event === undefined) this.#ofAll.delete(listener as unknown as Listener<Message>);
  }

  /** Removes every listener of the caller. */
  removeAll(): void {
    this.#byEvent.clear();
    for (const [listener, owner] of this.#ofAll) if (owner === 'caller') this.#ofAll.delete(listener);
  }

  /** Calls the listeners of the message's event. */
  tell(message: Message): void {
    const bound = [...(this.#byEvent.get(message.event) ?? [])];
    for (const [listener, stay] of bound) if (stay === 'once') this.remove(message.event, listener);
    tellAll(
      bound.map(
        ([listener]) =>
          (told: Message) =>
            listener(told.data as never, told as Message<never>),
      ),
      message,
    );
  }

  /** Calls the listeners of all events. */
  tellOfAll(message: Message): void {
    tellAll(this.#ofAll.keys(), message);
  }
}
