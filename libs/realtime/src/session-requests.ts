import type { Broker, SessionAnswer, SessionRequest } from '@carillon/broker';

export type { SessionAnswer, SessionRequest } from '@carillon/broker';

/** Applies a request to a session of this process; null: the session does not exist here. Must not block. */
export type SessionHandler = (appId: string, request: SessionRequest) => SessionAnswer | null;

/**
 * Response of another node; `unknown` if it has no such session or is dead, `silent` if it does not respond in time.
 */
export type ForwardedAnswer = SessionAnswer | 'silent' | 'unknown';

/** Forwards requests for HTTP sessions that arrive at a node without the session. */
export class SessionRequests {
  #handler: SessionHandler = () => null;

  constructor(private readonly broker: Pick<Broker, 'askNode' | 'nodeId' | 'peers'>) {}

  /** Id of this process; it changes after others have declared it dead. */
  get nodeId(): string {
    return this.broker.nodeId;
  }

  /** Sets the handler of this process; until then it has no sessions. */
  answerWith(handler: SessionHandler): void {
    this.#handler = handler;
  }

  answer(appId: string, request: SessionRequest): SessionAnswer | null {
    return this.#handler(appId, request);
  }

  /** Forwards a request to the live node whose id is accepted. Never rejects. */
  async forward(
    isNode: (nodeId: string) => boolean,
    appId: string,
    request: SessionRequest,
    timeoutMs: number,
  ): Promise<ForwardedAnswer> {
    const nodeId = this.broker.peers.find(isNode);
    if (nodeId === undefined) return 'unknown';
    const kind = request.frames === null ? 'stream_end' : 'stream_frames';
    const answer = await this.broker.askNode(nodeId, kind, appId, request, timeoutMs);
    if (answer !== undefined) return answer ?? 'unknown';
    return this.broker.peers.includes(nodeId) ? 'silent' : 'unknown';
  }
}
