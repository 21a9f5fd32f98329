import type { Dependency } from './dependencies/connect-dependencies.js';

/** Collects the dependencies required before the process may serve; packages add to it while modules are created. */
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
