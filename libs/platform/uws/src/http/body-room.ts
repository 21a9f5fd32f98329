/** The bytes that all bodies of a server may hold together, from their first byte to the answer of their request. */
export class BodyRoom {
  #used = 0;

  constructor(private readonly mostBytes: number) {}

  get usedBytes(): number {
    return this.#used;
  }

  /** False: there is no room, and nothing was taken. */
  take(bytes: number): boolean {
    if (this.#used + bytes > this.mostBytes) return false;
    this.#used += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#used -= bytes;
  }
}
