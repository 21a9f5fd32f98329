/**
 * Values by name, bounded: never more than `capacity`. Two generations instead of a list in order of use, so that a
 * hit is one look-up; a value used since the last change of generation survives the next one.
 */
export class Recent<Value> {
  readonly #generation: number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  /** At least 2. */
  constructor(capacity: number) {
    this.#generation = Math.floor(capacity / 2);
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(name: string): Value | undefined {
    const young = this.#young.get(name);
    if (young !== undefined) return young;
    const old = this.#old.get(name);
    if (old === undefined) return undefined;
    this.#old.delete(name);
    this.put(name, old);
    return old;
  }

  /** For a name that is not there. */
  put(name: string, value: Value): void {
    if (this.#young.size >= this.#generation) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(name, value);
  }
}
