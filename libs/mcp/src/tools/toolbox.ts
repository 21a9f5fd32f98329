import { ALL_TOOLSETS, type Config } from '@carillon/config';
import type { Principal } from '../guards/principals.js';
import { definition, type Tool } from './tool.js';
import { type EnableToolset, toolsetNames, toolsetOf, toolsetTool } from './toolset-tool.js';

/** The definitions of a tool, made once: the newer one, and the one of revision 2025-03-26. */
interface Shown {
  readonly tool: Tool;
  readonly current: object;
  readonly oldest: object;
}

/** The most names that the refusal of an unknown tool lists. */
const MAX_ALTERNATIVES = 10;

const isAllowed = ({ scope }: Tool, { scopes }: Principal): boolean => scope === null || scopes.has(scope);

/** The tools of this process that the configuration leaves on, in the order of their names. */
export class Toolbox {
  readonly #tools: ReadonlyMap<string, Shown>;
  /** Names of the toolsets that every session lists. */
  readonly #listed: ReadonlySet<string>;

  constructor(
    tools: readonly Tool[],
    { disabled_tools: disabled, toolsets }: Pick<Config['mcp'], 'disabled_tools' | 'toolsets'>,
    enable: EnableToolset,
  ) {
    this.#listed = new Set(toolsets.includes(ALL_TOOLSETS) ? toolsetNames : toolsets);
    const on = tools.filter(({ name }) => !disabled.includes(name));
    const unlisted = toolsetNames.filter(
      (toolset) => !this.#listed.has(toolset) && on.some(({ name }) => toolsetOf(name) === toolset),
    );
    const discovery = toolsetTool(unlisted, (toolset, principal) => this.#of(toolset, principal), enable);
    const all = unlisted.length === 0 ? on : [...on, discovery];
    const sorted = all.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    this.#tools = new Map(
      sorted.map((tool) => [
        tool.name,
        { tool, current: definition(tool, false), oldest: definition(tool, true) },
      ]),
    );
  }

  /** A tool by its name, listed or not; null: it does not exist, is disabled or needs another role. */
  find(name: string): Tool | null {
    return this.#tools.get(name)?.tool ?? null;
  }

  /** Every tool that the scopes of a principal allow. */
  visibleTo(principal: Principal): readonly Tool[] {
    return this.#allowed(principal).map(({ tool }) => tool);
  }

  /** The tools that `tools/list` shows to a session that enabled some toolsets. */
  listedFor(principal: Principal, enabled: readonly string[]): readonly Shown[] {
    return this.#allowed(principal).filter(({ tool }) => {
      const toolset = toolsetOf(tool.name);
      return toolset === null || this.#listed.has(toolset) || enabled.includes(toolset);
    });
  }

  /** Tools that share a word with an unknown name, or else the first tools of the principal. */
  alternativesTo(name: string, principal: Principal): { readonly tools: readonly string[] } {
    const words = name.toLowerCase().split(/[^a-z]+/);
    const names = this.visibleTo(principal).map((tool) => tool.name);
    const similar = names.filter((one) => one.split('_').some((word) => words.includes(word)));
    return { tools: (similar.length === 0 ? names : similar).slice(0, MAX_ALTERNATIVES) };
  }

  #allowed(principal: Principal): readonly Shown[] {
    return [...this.#tools.values()].filter(({ tool }) => isAllowed(tool, principal));
  }

  #of(toolset: string, principal: Principal): readonly Tool[] {
    return this.visibleTo(principal).filter(({ name }) => toolsetOf(name) === toolset);
  }
}
