/** What each event of a map is told with. */
export type Listener<Value> = (value: Value) => void;

/** Ends a listening; more than once does nothing. */
export type Stop = () => void;

/** Tells listeners. One that throws neither keeps others from hearing nor stops the client: its error is thrown later. */
export class Emitter<Events extends object> {
  /** Listeners by event, and whether each hears only the next one. */
  readonly #listeners = new Map<keyof Events, Map<Listener<never>, boolean>>();

  on<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): Stop {
    return this.#add(name, listener, false);
  }

  /** Calls the listener for the next event only. */
  once<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): Stop {
    return this.#add(name, listener, true);
  }

  /** Removes a listener, whether `on` or `once` added it. */
  off<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): void {
    this.#listeners.get(name)?.delete(listener);
  }

  emit<Name extends keyof Events>(name: Name, value: Events[Name]): void {
    const listeners = this.#listeners.get(name);
    if (listeners === undefined) return;
    const all = [...listeners];
    for (const [listener, isOnce] of all) if (isOnce) listeners.delete(listener);
    tellAll(
      all.map(([listener]) => listener as Listener<Events[Name]>),
      value,
    );
  }

  #add<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>, isOnce: boolean): Stop {
    const listeners = this.#listeners.get(name) ?? new Map<Listener<never>, boolean>();
    this.#listeners.set(name, listeners.set(listener, isOnce));
    return () => {
      listeners.delete(listener);
    };
  }
}

/** Calls every one of them, also when some throw. */
export function tellAll<Value>(listeners: Iterable<Listener<Value>> | undefined, value: Value): void {
  // A copy: listeners may come and go while they are told.
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
