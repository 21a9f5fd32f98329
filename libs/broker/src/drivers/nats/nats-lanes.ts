import type { BrokerNames } from '@carillon/contracts';
import type { Connection, Heard as Subscribed } from '@carillon/nats';
import { SessionLost } from '../../cluster/wire.js';
import { addressName } from '../../lanes/address-key.js';
import type { LaneLine, TakeRequest } from '../../lanes/line.js';
import type { Heard, LaneAddress } from '../../lanes/port.js';

/** Queue group: one of its subscribers receives each request. */
const GROUP = 'writers';

export interface NatsLanesParts {
  readonly connection: Connection;
  readonly names: BrokerNames;
  /** Settles when the server has everything that was sent before. */
  readonly passed: () => Promise<void>;
}

/** Lane requests over NATS, with private inboxes and reports of missing responders. */
export class NatsLanes implements LaneLine {
  /** Subscriptions by subject. */
  readonly #served = new Map<string, Subscribed>();

  constructor(private readonly parts: NatsLanesParts) {}

  async call(address: LaneAddress, text: string, budgetMs: number): Promise<Heard> {
    const { connection, names } = this.parts;
    const answer = await connection.ask(addressName(names, address), text, budgetMs);
    if (answer.kind === 'silent' && connection.isClosed) throw new SessionLost();
    return answer;
  }

  async serve(address: LaneAddress, take: TakeRequest): Promise<void> {
    const { connection, names, passed } = this.parts;
    if (connection.isClosed) throw new SessionLost();
    const subject = addressName(names, address);
    let isRefused = false;
    const subscribed = connection.hear({
      subject,
      queue: GROUP,
      take: ({ data, reply = '' }) => {
        take(data, (text) => {
          if (reply !== '' && !connection.isClosed) connection.tell(reply, text);
        });
      },
      refused: () => {
        isRefused = true;
      },
    });
    this.#served.set(subject, subscribed);
    await passed();
    if (!isRefused) return;
    this.#served.delete(subject);
    throw new Error('the broker refuses the subscription');
  }

  /** Requests already in flight are still accepted. */
  async stopServing(address: LaneAddress): Promise<void> {
    const { names, passed } = this.parts;
    const subject = addressName(names, address);
    const subscribed = this.#served.get(subject);
    if (subscribed === undefined) return;
    this.#served.delete(subject);
    subscribed.drain();
    await passed();
  }
}
