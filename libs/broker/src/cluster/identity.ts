/** Former node ids that are remembered: messages sent under them may still arrive. */
const MAX_FORMER = 16;

/** Node id of this process. It is replaced after the other nodes declared the node dead. */
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
