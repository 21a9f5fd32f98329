import type { IggyPoller, PolledMessage } from '@carillon/iggy';
import { SessionLost } from '../../cluster/wire.js';
import { Correspondence } from '../../lanes/correspondence.js';
import type { LaneLine, TakeRequest } from '../../lanes/line.js';
import type { Heard, LaneAddress } from '../../lanes/port.js';

/** Topics with a partition per lane. */
export interface LaneTopics {
  readonly commit: string;
  readonly read: string;
}

export interface IggyLanesParts {
  readonly topics: LaneTopics;
  /** Topic of all answers. */
  readonly responses: string;
  readonly send: (topic: string, text: string, partition?: number) => Promise<void>;
  /** Settles when answers are received. */
  readonly hear: () => Promise<void>;
  /** Reads a partition from where it ends now. */
  readonly poll: (
    topic: string,
    partition: number,
    onMessages: (messages: readonly PolledMessage[]) => void,
  ) => Promise<IggyPoller>;
  readonly isOver: () => boolean;
}

const keyOf = ({ use, lane }: LaneAddress): string => `${use}/${lane}`;

/**
 * Lane requests over Iggy: a partition per lane. The HTTP API has no consumer groups, so every server of a lane
 * receives its requests, and writers agree on one. Responders are unknown: a request without a server is not
 * reported.
 */
export class IggyLanes implements LaneLine {
  readonly #served = new Map<string, IggyPoller>();
  readonly #letters: Correspondence;
  #hears: Promise<void> | null = null;

  constructor(private readonly parts: IggyLanesParts) {
    const { responses } = parts;
    this.#letters = new Correspondence({
      replyTo: responses,
      replyPrefix: responses,
      reply: async (topic, text) => {
        if (topic === responses) await parts.send(topic, text);
      },
    });
  }

  /** Handles a message that may be an answer, to this process or another. */
  overheard(bytes: Uint8Array): void {
    this.#letters.replied(bytes);
  }

  call({ use, lane }: LaneAddress, text: string, budgetMs: number): Promise<Heard> {
    return this.#letters.call(text, budgetMs, async (request) => {
      this.#hears ??= this.parts.hear();
      await this.#hears;
      await this.parts.send(this.parts.topics[use], request, lane);
      return true;
    });
  }

  async serve(address: LaneAddress, take: TakeRequest): Promise<void> {
    const { topics, poll, isOver } = this.parts;
    const poller = await poll(topics[address.use], address.lane, (messages) => {
      for (const { payload } of messages) this.#letters.requested(payload, take);
    });
    if (isOver()) {
      await poller.stop();
      throw new SessionLost();
    }
    this.#served.set(keyOf(address), poller);
  }

  async stopServing(address: LaneAddress): Promise<void> {
    const poller = this.#served.get(keyOf(address));
    this.#served.delete(keyOf(address));
    await poller?.stop();
  }

  async close(): Promise<void> {
    this.#letters.close();
    await Promise.all([...this.#served.values()].map((poller) => poller.stop()));
    this.#served.clear();
  }
}
