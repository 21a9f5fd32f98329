import type { FanOutRecordBody } from '@carillon/contracts';
import type { FleetBus } from './fleet/port.js';
import type { LaneBroker } from './lanes/port.js';
import type { LiveEvent } from './live-event.js';
import type { Answer, Question, RevokedTokens } from './question.js';

/** The loss of the broker, as this process sees it. */
export interface BrokerOutage {
  readonly nodeId: string;
  /** The other nodes with sockets that lived when the broker was lost. */
  peers(): readonly string[];
  /** Whether some host of the broker accepts or refuses connections. Never rejects. */
  hostAnswers(): Promise<boolean>;
}

/**
 * Callbacks of a process with sockets. All are called synchronously on the event loop; they must not throw or block.
 */
export interface BrokerListener {
  /** Hands an event to the local subscribers of its channel. Events of one channel come in the order published. */
  deliver(event: LiveEvent): void;
  /**
   * Receives a committed record of a subscribed channel. Records may be duplicated, late, out of order or missing,
   * which their serials show. Absent: this process ignores records.
   */
  deliverRecord?(record: FanOutRecordBody): void;
  /** This process's own part of an answer. */
  answer<Kind extends keyof Question>(kind: Kind, appId: string, about: Question[Kind]): Answer[Kind];
  /**
   * The broker is unreachable, and has been for `sinceMs`: nothing arrives from other processes until `inReachAgain`.
   * Called once per outage.
   */
  outOfReach?(sinceMs: number, outage: BrokerOutage): void;
  /**
   * All subscriptions are confirmed again; messages published in the meantime may have been missed. Called after
   * every such interruption.
   */
  inReachAgain?(): void;
  /** Another process changed the record of an app. */
  appChanged?(appId: string): void;
}

/** An answer put together from those of every process with sockets. */
export interface Gathered<Kind extends keyof Question> {
  readonly answer: Answer[Kind];
  /** False if some process did not answer in time: the value contains the received answers. */
  readonly complete: boolean;
}

/**
 * Live messages between the processes of one installation. Methods return undefined instead of a promise when the
 * work is already done, so that the live path of a single process never waits.
 * Promises of every driver:
 * - An event published here reaches the local listener before `publish` returns, regardless of the broker.
 * - Events that one process publishes to one channel reach every other process in that order, at most once each.
 * - An event with `uniqueForMs` reaches a listener once within that time, whichever processes publish it.
 * - An event published anywhere after `subscribe` has resolved reaches this process.
 * - `publish` rejects when other processes could not be reached; local delivery has happened.
 */
export interface Broker {
  /** Unique per process start. Changes when the other nodes declared this one dead and it rejoins. */
  readonly nodeId: string;
  /**
   * Registers the listener; once per process. A process without sockets registers none and only publishes and
   * requests.
   */
  listen(listener: BrokerListener): void;
  publish(event: LiveEvent): Promise<void> | undefined;
  /**
   * Events of the channel are wanted here from now on. Counted by the caller: called at the first subscriber only.
   * Rejects when the broker does not confirm it in time, or refuses it; it is wanted until `unsubscribe` all the same.
   */
  subscribe(appId: string, channel: string): Promise<void> | undefined;
  /** The last subscriber has gone. */
  unsubscribe(appId: string, channel: string): void;
  /** Subscribes to every channel of an app, independent of other subscriptions. Events are not delivered twice. */
  subscribeAll(appId: string): Promise<void> | undefined;
  unsubscribeAll(appId: string): void;
  /**
   * Sends a request to every process with sockets, this one included. Never rejects: missing answers make the result
   * incomplete.
   */
  ask<Kind extends keyof Question>(kind: Kind, appId: string, about: Question[Kind]): Promise<Gathered<Kind>>;
  /** The other nodes with sockets that are known to live. */
  readonly peers: readonly string[];
  /**
   * Asks one other node. Undefined: it did not answer in time, is dead or cannot be reached. Never rejects.
   */
  askNode<Kind extends keyof Question>(
    nodeId: string,
    kind: Kind,
    appId: string,
    about: Question[Kind],
    timeoutMs: number,
  ): Promise<Answer[Kind] | undefined>;
  /** Notifies every other process with sockets that the record of an app changed. Rejects as `publish` does. */
  tellAppChanged(appId: string): Promise<void> | undefined;
  /**
   * Puts `token_revoked` to every other process with sockets without wanting an answer, which a process may do that
   * cannot be answered. Rejects as `publish` does.
   */
  tellTokensRevoked(appId: string, revoked: RevokedTokens): Promise<void> | undefined;
  /** Reason why the broker is unhealthy; null if healthy. */
  health(): Promise<string | null>;
  /** Closes the client. Afterwards nothing is delivered or answered, and requests are incomplete. Idempotent. */
  close(): Promise<void>;
}

/** A broker as the drivers open it. */
export interface OpenedBroker extends Broker {
  /** The lanes' side of it, over the same connection. */
  readonly lanes: LaneBroker;
  /** The control plane of the management API, over the same connection. */
  readonly fleet: FleetBus;
}
