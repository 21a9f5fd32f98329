import type { FanOutRecordBody } from '@carillon/contracts';
import type { LaneFabric } from './lanes/port.js';
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
 * What a process with sockets does for the fabric. Everything is called synchronously on the socket loop, must not
 * throw and must not wait.
 */
export interface FabricListener {
  /** Hands an event to the local subscribers of its channel. Events of one channel come in the order published. */
  deliver(event: LiveEvent): void;
  /**
   * A committed record of a channel wanted here. It may come twice, late or out of order, and others may be missing:
   * its serials tell. Absent: this process has no use for records.
   */
  deliverRecord?(record: FanOutRecordBody): void;
  /** This process's own part of an answer. */
  answer<Kind extends keyof Question>(kind: Kind, appId: string, about: Question[Kind]): Answer[Kind];
  /**
   * The broker is unreachable, and has been for `sinceMs`: nothing arrives from other processes until `inReachAgain`.
   * Called once per outage.
   */
  outOfReach?(sinceMs: number, outage: BrokerOutage): void;
  /** All that is wanted here comes again; what was published meanwhile may have been missed. Told whenever that was so. */
  inReachAgain?(): void;
  /** Another process says that the record of an app is different now. */
  appChanged?(appId: string): void;
}

/** An answer put together from those of every process with sockets. */
export interface Gathered<Kind extends keyof Question> {
  readonly answer: Answer[Kind];
  /** False when some process did not answer in time: the answer is what arrived. */
  readonly complete: boolean;
}

/**
 * Live messages between the processes of one installation. Where the work is done at once, methods return undefined
 * instead of a promise, so that the live path of one process never waits.
 *
 * Promises of every driver:
 * - An event published here reaches the local listener before `publish` returns, whatever becomes of the broker.
 * - Events that one process publishes to one channel reach every other process in that order, at most once each.
 * - An event that is unique for a while reaches a listener once in that time, whichever processes publish it.
 * - An event published anywhere after `subscribe` has settled reaches this process.
 * - `publish` rejects when other processes could not be reached; local delivery stands.
 */
export interface Fabric {
  /** Unique per process start. Changes when the other nodes have taken this one for dead and it joins anew. */
  readonly nodeId: string;
  /** Names who receives here; once per process. A process without sockets names nobody and only publishes and asks. */
  listen(listener: FabricListener): void;
  publish(event: LiveEvent): Promise<void> | undefined;
  /**
   * Events of the channel are wanted here from now on. Counted by the caller: called at the first subscriber only.
   * Rejects when the broker does not confirm it in time, or refuses it; it is wanted until `unsubscribe` all the same.
   */
  subscribe(appId: string, channel: string): Promise<void> | undefined;
  /** The last subscriber has gone. */
  unsubscribe(appId: string, channel: string): void;
  /** The same for every channel of an app, whatever is subscribed to beside. Nothing comes twice because of it. */
  subscribeAll(appId: string): Promise<void> | undefined;
  unsubscribeAll(appId: string): void;
  /** Asks every process with sockets, this one included. Never rejects: what cannot be had makes it incomplete. */
  ask<Kind extends keyof Question>(kind: Kind, appId: string, about: Question[Kind]): Promise<Gathered<Kind>>;
  /** Tells every other process with sockets that the record of an app is different now. Rejects as `publish` does. */
  tellAppChanged(appId: string): Promise<void> | undefined;
  /**
   * Puts `token_revoked` to every other process with sockets without wanting an answer, which a process may do that
   * cannot be answered. Rejects as `publish` does.
   */
  tellTokensRevoked(appId: string, revoked: RevokedTokens): Promise<void> | undefined;
  /** Null when healthy, else what is wrong. */
  health(): Promise<string | null>;
  /** Idempotent. Afterwards nothing is delivered or answered, and what is asked is incomplete. */
  close(): Promise<void>;
}

/** A fabric as the drivers open it. */
export interface OpenedFabric extends Fabric {
  /** The lanes' side of it, over the same connection. */
  readonly lanes: LaneFabric;
}
