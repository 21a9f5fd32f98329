import type { CometReply, CometRequest, Broker } from '@carillon/broker';

export type { CometReply, CometRequest } from '@carillon/broker';

/** Applies a request to a connection or receiver of this node; null if neither exists here. Must not throw or block. */
type Apply = (appId: string, request: CometRequest) => CometReply | null;

/** Timeout of a forwarded request. */
const FORWARD_TIMEOUT_MS = 2000;

/** Forwards comet requests to the node that holds their connection, and applies those of other nodes. */
export class CometRelay {
  #apply: Apply = () => null;

  constructor(
    private readonly broker: Pick<Broker, 'ask'>,
    private readonly timeoutMs = FORWARD_TIMEOUT_MS,
  ) {}

  /** Sets the handler of requests of other nodes; once per process. */
  applyWith(apply: Apply): void {
    this.#apply = apply;
  }

  apply(appId: string, request: CometRequest): CometReply | null {
    return this.#apply(appId, request);
  }

  /**
   * Forwards a request to all nodes. Null: no node holds the session; `timeout`: some node did not respond in time.
   * Never rejects.
   */
  async forward(appId: string, request: CometRequest): Promise<CometReply | 'timeout' | null> {
    let timer: NodeJS.Timeout | undefined;
    const isLate = new Promise<'timeout'>((resolve) => {
      timer = setTimeout(() => resolve('timeout'), this.timeoutMs);
    });
    const asked = this.broker.ask('comet_request', appId, request);
    const gathered = await Promise.race([asked, isLate]);
    clearTimeout(timer);
    if (gathered === 'timeout') return gathered;
    return gathered.answer ?? (gathered.complete ? null : 'timeout');
  }
}
