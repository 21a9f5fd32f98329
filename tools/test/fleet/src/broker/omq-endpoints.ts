import { freePort } from '@carillon/testing';

/** Nodes of one fleet. */
const COUNT = 5;

/** The addresses of nodes that have no broker: each listens on one and connects to all. */
export class OmqEndpoints {
  readonly #byNode = new Map<string, string>();

  private constructor(private readonly all: readonly string[]) {}

  /** Chooses ports on which nothing listens. */
  static async reserve(): Promise<OmqEndpoints> {
    const ports = await Promise.all(Array.from({ length: COUNT }, freePort));
    return new OmqEndpoints(ports.map((port) => `tcp://127.0.0.1:${port}`));
  }

  /** Settings of the node with this name, the same after each restart. */
  of(node: string): { readonly bind_endpoint: string; readonly connect_endpoints: readonly string[] } {
    const known = this.#byNode.get(node) ?? this.all[this.#byNode.size];
    if (known === undefined) throw new Error(`a fleet without a broker has ${COUNT} nodes`);
    this.#byNode.set(node, known);
    return { bind_endpoint: known, connect_endpoints: this.all };
  }
}
