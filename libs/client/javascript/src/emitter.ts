/** A listener of one event. */
export type Listener<Value> = (value: Value) => void;

/** Ends a listening; more than once does nothing. */
export type Stop = () => void;

/** `once`: removed by its first event. `client`: belongs to the client itself. */
type Kind = 'client' | 'each' | 'once';

/**
 * Notifies listeners. An exception in a listener affects neither other listeners nor the client: it is rethrown
 * asynchronously.
 */
export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Map<Listener<never>, Kind>>();

  on<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): Stop {
    return this.#add(name, listener, 'each');
  }

  /** Calls the listener for the next event only. */
  once<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): Stop {
    return this.#add(name, listener, 'once');
  }

  /** For the client's own classes: a listener that `off` without a listener does not remove. */
  watch<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): Stop {
    return this.#add(name, listener, 'client');
  }

  /** Removes listeners that `on` or `once` added: one, all of an event, or all. */
  off<Name extends keyof Events>(name?: Name, listener?: Listener<Events[Name]>): void {
    for (const [event, listeners] of this.#listeners) {
      if (name !== undefined && event !== name) continue;
      for (const [one, kind] of listeners) {
        if (listener === undefined ? kind !== 'client' : one === listener) listeners.delete(one);
      }
    }
  }

  emit<Name extends keyof Events>(name: Name, value: Events[Name]): void {
    const listeners = this.#listeners.get(name);
    if (listeners === undefined) return;
    const all = [...listeners];
    for (const [listener, kind] of all) if (kind === 'once') listeners.delete(listener);
    tellAll(
      all.map(([listener]) => listener as Listener<Events[Name]>),
      value,
    );
  }

  #add<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>, kind: Kind): Stop {
    const listeners = this.#listeners.get(name) ?? new Map<Listener<never>, Kind>();
    this.#listeners.set(name, listeners.set(listener, kind));
    return () => {
      listeners.delete(listener);
    };
  }
}

/** Calls every one of them, also when some throw. */
export function tellAll<Value>(listeners: Iterable<Listener<Value>> | undefined, value: Value): void {
  // Iterates over a copy, since listeners may be added or removed during the notification.
  for (const listener of Array.from(listeners ?? [])) {
    try {
      listener(value);
    } catch (error) {
      setTimeout(() => {
        throw error;
      });
    }
  }
}
