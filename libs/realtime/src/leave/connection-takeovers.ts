import type { Broker, Membership, TakenConnection } from '@carillon/broker';

export type { Membership, TakenConnection } from '@carillon/broker';

/**
 * Ends the state of a resumed connection in this process without its members leaving; leaves other connections
 * unchanged.
 */
export type Taker = (appId: string, taken: TakenConnection) => readonly Membership[];

/** Moves resumed connections from their previous node to this one. */
export class ConnectionTakeovers {
  #taker: Taker = () => [];

  constructor(private readonly broker: Pick<Broker, 'ask'>) {}

  /** Registers the protocol adapter whose connections may be resumed; once per process. Until then none are. */
  answerWith(taker: Taker): void {
    this.#taker = taker;
  }

  /** Ends the connection's state in this process. */
  taken(appId: string, taken: TakenConnection): readonly Membership[] {
    return this.#taker(appId, taken);
  }

  /**
   * Closes its old socket on whichever node, and deletes its state there. Returns its memberships; none for a node
   * that does not respond in time. Never rejects.
   */
  async take(appId: string, taken: TakenConnection): Promise<readonly Membership[]> {
    return (await this.broker.ask('connection_taken', appId, taken)).answer;
  }
}
