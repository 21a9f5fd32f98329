/** Keeps what a handler is called with until a test asks for it. */
export class Inbox<Value> {
  readonly #values: Value[] = [];
  #wake: (() => void) | null = null;

  /** To be given to a library as a handler. */
  readonly put = (value: Value): void => {
    this.#values.push(value);
    this.#wake?.();
  };

  /** What came and was not taken yet. */
  get rest(): readonly Value[] {
    return this.#values;
  }

  /** Takes the oldest, waiting until there is one. */
  async take(limitMs = 10_000): Promise<Value> {
    const deadline = Date.now() + limitMs;
    while (this.#values.length === 0) {
      if (Date.now() >= deadline) throw new Error('waited in vain for an event');
      await new Promise<void>((woken) => {
        const timer = setTimeout(woken, deadline - Date.now());
        this.#wake = () => {
          clearTimeout(timer);
          woken();
        };
      });
    }
    return this.#values.shift() as Value;
  }
}
