import type { Principal } from '../guards/principals.js';
import type { Tool } from './tool.js';

/** The tools of this process that the configuration leaves on, in the order of their names. */
export class Toolbox {
  readonly #tools: ReadonlyMap<string, Tool>;

  constructor(tools: readonly Tool[], disabled: readonly string[]) {
    const on = tools.filter(({ name }) => !disabled.includes(name));
    const sorted = on.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    this.#tools = new Map(sorted.map((tool) => [tool.name, tool]));
  }

  find(name: string): Tool | null {
    return this.#tools.get(name) ?? null;
  }

  /** What the scopes of a principal allow. */
  visibleTo({ scopes }: Principal): readonly Tool[] {
    return [...this.#tools.values()].filter(({ scope }) => scopes.has(scope));
  }
}
