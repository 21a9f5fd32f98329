import type { FanOutRecordBody } from '@carillon/contracts';
import { traced } from '@carillon/tracing';
import { LocalFleet } from '../fleet/local-fleet.js';
import { Observers } from '../fleet/observers.js';
import type { MessageObserver, Observation } from '../fleet/port.js';
import { OwnLanes } from '../lanes/own-lanes.js';
import type { OnListenerFault } from '../listener-fault.js';
import type { LiveEvent } from '../live-event.js';
import { mergeAnswers } from '../merge-answers.js';
import type { BrokerListener, Gathered, OpenedBroker } from '../port.js';
import type { Question } from '../question.js';
import { Repeats } from '../repeats.js';

/** The broker of an installation that is one process: everything happens at once, and nothing can be out of reach. */
export class LocalBroker implements OpenedBroker {
  readonly lanes: OwnLanes;
  readonly fleet: LocalFleet;
  readonly #repeats = new Repeats();
  /** Null while nothing is observed. */
  #observers: Observers | null = null;
  #listener: BrokerListener | null = null;
  #closed = false;

  constructor(
    readonly nodeId: string,
    private readonly onFault: OnListenerFault,
  ) {
    this.lanes = new OwnLanes((record) => this.deliverRecord(record));
    this.fleet = new LocalFleet(
      nodeId,
      (appId, channel, observer) => this.observe(appId, channel, observer),
      (error) => onFault('answer', error),
    );
  }

  /** Observes what is published or arrives here. */
  observe(appId: string, channel: string | null, observer: MessageObserver): Observation {
    const observers = (this.#observers ??= new Observers());
    const remove = observers.add(appId, channel, observer);
    const end = (): void => {
      remove();
      if (observers.isEmpty && this.#observers === observers) this.#observers = null;
    };
    return { ready: Promise.resolve(), end };
  }

  /** Whether a channel, or (null) a whole app, is observed. */
  isObserved(appId: string, channel: string | null): boolean {
    return this.#observers?.has(appId, channel) === true;
  }

  listen(listener: BrokerListener): void {
    if (this.#listener !== null) throw new Error('the broker has a listener already');
    if (!this.#closed) this.#listener = listener;
  }

  publish(event: LiveEvent, nodeId = this.nodeId): undefined {
    const listener = this.#listener;
    if ((listener === null && this.#observers === null) || this.#repeats.isRepeat(event)) return;
    try {
      if (this.#observers !== null) this.#observers.event(event, nodeId);
      listener?.deliver(event);
    } catch (error) {
      this.onFault('deliver', error);
    }
  }

  /** Hands a committed record to the listener, if it takes any. */
  deliverRecord(record: FanOutRecordBody): void {
    const listener = this.#listener;
    if (this.#observers !== null) this.#observe(record);
    if (listener?.deliverRecord === undefined) return;
    try {
      traced(
        () => ({
          name: 'deliver',
          kind: 'consumer',
          parent: record.trace,
          attributes: { app_id: record.app_id },
        }),
        () => listener.deliverRecord?.(record),
      );
    } catch (error) {
      this.onFault('deliver', error);
    }
  }

  /** Calls the listener for a notification other than an event. */
  notify(tell: (listener: BrokerListener) => void): void {
    if (this.#listener === null) return;
    try {
      tell(this.#listener);
    } catch (error) {
      this.onFault('notify', error);
    }
  }

  /** Everything published here is delivered here, so there is nothing to arrange. */
  subscribe(): undefined {}

  unsubscribe(): void {}

  subscribeAll(): undefined {}

  unsubscribeAll(): void {}

  ask<Kind extends keyof Question>(
    kind: Kind,
    appId: string,
    about: Question[Kind],
  ): Promise<Gathered<Kind>> {
    return Promise.resolve(this.#answer(kind, appId, about));
  }

  /** There are no other nodes. */
  readonly peers: readonly string[] = [];

  askNode(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  /** No-op: there are no other processes. */
  tellAppChanged(): undefined {}

  tellTokensRevoked(): undefined {}

  health(): Promise<string | null> {
    return Promise.resolve(this.#closed ? 'the broker is closed' : null);
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#listener = null;
    this.lanes.close();
    return Promise.resolve();
  }

  #observe(record: FanOutRecordBody): void {
    try {
      this.#observers?.record(record);
    } catch (error) {
      this.onFault('deliver', error);
    }
  }

  #answer<Kind extends keyof Question>(kind: Kind, appId: string, about: Question[Kind]): Gathered<Kind> {
    const nothing = mergeAnswers(kind, []);
    if (this.#closed) return { answer: nothing, complete: false };
    try {
      return { answer: this.#listener?.answer(kind, appId, about) ?? nothing, complete: true };
    } catch (error) {
      this.onFault('answer', error);
      return { answer: nothing, complete: false };
    }
  }
}
