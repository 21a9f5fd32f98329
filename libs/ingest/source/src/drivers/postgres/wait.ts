/** A wait that can be ended early, also before it starts. */
export class Wait {
  #wake: (() => void) | null = null;
  #isEnded = false;

  start(ms: number): Promise<void> {
    if (this.#isEnded) {
      this.#isEnded = false;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.end(), ms);
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = null;
        resolve();
      };
    });
  }

  end(): void {
    if (this.#wake === null) this.#isEnded = true;
    else this.#wake();
  }
}
