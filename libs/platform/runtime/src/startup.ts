import type { Dependency } from './dependencies/connect-dependencies.js';

/** Collects what must be reached before the process may serve; rooms add to it while their modules are being made. */
export class Startup {
  readonly #dependencies: Dependency[] = [];

  /** Connected side by side with all others once every module exists; the process exits when it cannot be. */
  needs(dependency: Dependency): void {
    this.#dependencies.push(dependency);
  }

  get dependencies(): readonly Dependency[] {
    return this.#dependencies;
  }
}
