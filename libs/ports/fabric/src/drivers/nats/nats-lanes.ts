import type { FabricNames } from '@carillon/contract';
import type { Connection } from '@carillon/nats';
import { SessionLost } from '../../cluster/wire.js';
import { addressName } from '../../lanes/address-key.js';
import type { LaneLine, TakeRequest } from '../../lanes/line.js';
import type { Heard, LaneAddress } from '../../lanes/port.js';

/** Of those who serve a subject in this group one gets each request. */
const GROUP = 'writers';

export interface NatsLanesParts {
  readonly connection: Connection;
  readonly names: FabricNames;
  /** Settles when the server has everything that was sent before. */
  readonly passed: () => Promise<void>;
}

/** Requests of lanes over NATS, which has private inboxes and word of missing responders. */
export class NatsLanes implements LaneLine {
  /** What is served, with its number. */
  readonly #served = new Map<string, number>();

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
    const sid = connection.hear({
      subject,
      queue: GROUP,
      take: ({ bytes, reply }) => {
        take(bytes, (text) => {
          if (reply !== null && !connection.isClosed) connection.tell(reply, text);
        });
      },
      refused: () => {
        isRefused = true;
      },
    });
    this.#served.set(subject, sid);
    await passed();
    if (!isRefused) return;
    this.#served.delete(subject);
    throw new Error('the broker refuses the subscription');
  }

  /** What is on its way already is still taken. */
  async stopServing(address: LaneAddress): Promise<void> {
    const { connection, names, passed } = this.parts;
    const subject = addressName(names, address);
    const sid = this.#served.get(subject);
    if (sid === undefined) return;
    this.#served.delete(subject);
    connection.unhear(sid);
    await passed();
    connection.forget(sid);
  }
}
