import type { Broker, Membership, TakenConnection } from '@carillon/broker';

export type { Membership, TakenConnection } from '@carillon/broker';

/** Ends what is here of such a connection, without its members leaving; of another it leaves everything alone. */
export type Taker = (appId: string, taken: TakenConnection) => readonly Membership[];

/** Connections that come back as themselves, wherever they were. */
export class Takings {
  #taker: Taker = () => [];

  constructor(private readonly broker: Pick<Broker, 'ask'>) {}

  /** Names the edge whose connections may come back; once per process. Until then nothing is left of any. */
  answerWith(taker: Taker): void {
    this.#taker = taker;
  }

  /** What is here of it ends. */
  taken(appId: string, taken: TakenConnection): readonly Membership[] {
    return this.#taker(appId, taken);
  }

  /**
   * Its old socket ends, in whatever process, and nothing of it is kept there. What it was a member as; of a process
   * that does not answer soon, nothing. Never rejects.
   */
  async take(appId: string, taken: TakenConnection): Promise<readonly Membership[]> {
    return (await this.broker.ask('connection_taken', appId, taken)).answer;
  }
}
