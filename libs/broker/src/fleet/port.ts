import type { Json, ManageTopic } from '@carillon/contracts';
import type { Message } from '@carillon/protocol';

/** Answers of gateways to one request. */
export interface FleetAnswers {
  /** By node id. */
  readonly answers: ReadonlyMap<string, Json>;
  /** Live gateways that did not answer in time. */
  readonly missing: readonly string[];
}

/** Computes the answer of this gateway. Null if the type of request is unknown or its body is invalid. */
export type FleetHandler = (type: string, body: Json) => Promise<Json>;

/** Receives notices of one topic with the id of the sender. Must not throw. */
export type NoticeListener = (nodeId: string, body: Json) => void;

/** An accepted message of an observed channel. */
export interface ObservedMessage {
  readonly appId: string;
  readonly message: Message;
  /** The publishing connection; null: a server, or unknown. */
  readonly socketId: string | null;
  /** Process that published it, or (of a durable channel) committed it. */
  readonly nodeId: string;
  /** Clock of the publisher. */
  readonly publishedAtMs: number;
}

/** Must not throw. */
export type MessageObserver = (observed: ObservedMessage) => void;

/** An active observation. */
export interface Observation {
  /** Settles when messages of other processes arrive here. Rejects if the broker does not confirm it. */
  readonly ready: Promise<void>;
  /** Idempotent. */
  end(): void;
}

/**
 * Control plane of the management API: requests to all gateways, notices between all processes, and observation of
 * accepted messages. Nothing of it is used by the live path unless a message observer exists.
 */
export interface FleetBus {
  /** Id of this process. Changes when other nodes declared it dead. */
  readonly nodeId: string;
  /** Live gateways as far as known, this process included if it is one. Waits for discovery, at most this long. */
  gateways(withinMs: number): Promise<readonly string[]>;
  /** Requests an answer of every live gateway, this one included. Never rejects. */
  ask(type: string, body: Json, timeoutMs: number): Promise<FleetAnswers>;
  /** The same of these processes, with sockets or without, each at its own address. */
  askNodes(nodeIds: readonly string[], type: string, body: Json, timeoutMs: number): Promise<FleetAnswers>;
  /** Names the handler of requests; once per process. */
  serve(handler: FleetHandler): void;
  /** Sends a notice to every process that listens, this one included, or to one node. Never throws. */
  notify(topic: ManageTopic, body: Json, nodeId?: string): void;
  /** Returns the function that ends it. */
  onNotice(topic: ManageTopic, listener: NoticeListener): () => void;
  /** Called with the id of a gateway that left or was declared dead. Returns the function that ends it. */
  onGone(listener: (nodeId: string) => void): () => void;
  /** Observes the accepted messages of a channel, or (null) of the whole app, each once. */
  observe(appId: string, channel: string | null, observer: MessageObserver): Observation;
}
