import { inspect } from 'node:util';

export const REDACTED = '<redacted>';

/** A value that only leaves through `reveal()`, so that an accidental log or template cannot leak it. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}
