import { cacheKey, type AppReference } from './app-reference.js';

/** The limit of entries, because names are chosen by untrusted clients. The oldest is dropped first. */
const CAPACITY = 10_000;

/** Names that the store did not know a moment ago, so that guessing does not reach it. */
export class MissingApps {
  readonly #until = new Map<string, number>();

  /** 0 ms remembers nothing. */
  constructor(
    private readonly ttlMs: number,
    private readonly now: () => number,
  ) {}

  has(reference: AppReference): boolean {
    const name = cacheKey(reference);
    const until = this.#until.get(name);
    if (until === undefined) return false;
    if (this.now() < until) return true;
    this.#until.delete(name);
    return false;
  }

  add(reference: AppReference): void {
    if (this.ttlMs === 0) return;
    const name = cacheKey(reference);
    this.#until.delete(name);
    const [oldest] = this.#until.keys();
    if (this.#until.size >= CAPACITY && oldest !== undefined) this.#until.delete(oldest);
    this.#until.set(name, this.now() + this.ttlMs);
  }

  drop(all: readonly AppReference[]): void {
    for (const reference of all) this.#until.delete(cacheKey(reference));
  }
}
