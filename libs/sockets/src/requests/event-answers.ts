import type { Outlet } from '@carillon/realtime';
import { isAiEvent } from '@carillon/history-ai';
import { type Fact, type FrameError, isClientEvent } from '@carillon/protocol';
import type { Receipt } from '@carillon/history-publish';
import type { Connection } from '../connection/connection.js';
import type { ClientEvent } from '../connection/speech.js';

/** Answers one client event. Exactly one of its methods is called, once. */
export interface EventAnswer {
  accept(receipt: Pick<Receipt, 'position'>): void;
  refuse(error: FrameError): void;
}

type Acknowledged = Extract<Fact, { readonly kind: 'acknowledged' }>;

/** An acknowledgement whose outcome may still be unknown. */
interface Pending {
  outcome: Acknowledged['outcome'] | null;
  readonly fact: Omit<Acknowledged, 'outcome'>;
}

/**
 * Answers client events. Connections without acknowledgements receive an error frame per refusal and nothing else.
 * Connections with acknowledgements receive one per event that has a `message_id`, per channel in the order of the
 * events, regardless of the order in which they complete.
 */
export class EventAnswers {
  /** Acknowledgements not yet sent, by connection and channel; a channel with none has no entry. */
  readonly #pending = new WeakMap<Connection, Map<string | null, Pending[]>>();

  constructor(private readonly outlet: Pick<Outlet, 'error' | 'send'>) {}

  /** Returns the answer to an event. Must be called in the order in which the events of the connection arrive. */
  of(connection: Connection, { event, channel, messageId }: ClientEvent): EventAnswer {
    const isAnswered = isClientEvent(event) || isAiEvent(event);
    if (connection.speech.acks && isAnswered && messageId !== null) {
      return this.#acknowledgement(connection, { kind: 'acknowledged', messageId, channel });
    }
    return { accept: () => undefined, refuse: (error) => this.outlet.error(connection, error) };
  }

  #acknowledgement(connection: Connection, fact: Pending['fact']): EventAnswer {
    const pending: Pending = { outcome: null, fact };
    const channels = this.#pending.get(connection) ?? new Map<string | null, Pending[]>();
    this.#pending.set(connection, channels);
    const queue = channels.get(fact.channel) ?? [];
    channels.set(fact.channel, queue);
    queue.push(pending);
    const settle = (outcome: Acknowledged['outcome']): void => {
      pending.outcome = outcome;
      for (let next = queue[0]; next !== undefined && next.outcome !== null; next = queue[0]) {
        queue.shift();
        this.outlet.send(connection, { ...next.fact, outcome: next.outcome });
      }
      if (queue.length === 0) channels.delete(fact.channel);
    };
    return {
      accept: ({ position }) => settle({ isAccepted: true, position: position ?? null }),
      refuse: ({ code, message }) => settle({ isAccepted: false, code, message }),
    };
  }
}
