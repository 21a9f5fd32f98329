/** Former names that are remembered: messages sent under them may still come back. */
const MAX_FORMER = 16;

/** What this node is called. It takes a new name when the others have given it up under the old one. */
export class Identity {
  readonly #former: string[] = [];

  constructor(
    private current: string,
    private readonly newNodeId: () => string,
  ) {}

  get nodeId(): string {
    return this.current;
  }

  isMine(nodeId: string): boolean {
    return nodeId === this.current || this.#former.includes(nodeId);
  }

  renew(): void {
    this.#former.push(this.current);
    if (this.#former.length > MAX_FORMER) this.#former.shift();
    this.current = this.newNodeId();
  }
}
