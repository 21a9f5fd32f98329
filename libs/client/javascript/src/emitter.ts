/** What each event of a map is told with. */
export type Listener<Value> = (value: Value) => void;

/** Ends a listening; more than once does nothing. */
export type Stop = () => void;

/** Tells listeners. One that throws neither keeps others from hearing nor stops the client: its error is thrown later. */
export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<Listener<never>>>();

  on<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): Stop {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => {
      listeners.delete(listener);
    };
  }

  /** The next time only. */
  once<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): Stop {
    const stop = this.on(name, (value) => {
      stop();
      listener(value);
    });
    return stop;
  }

  emit<Name extends keyof Events>(name: Name, value: Events[Name]): void {
    tellAll(this.#listeners.get(name) as Iterable<Listener<Events[Name]>> | undefined, value);
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
