import type { FanOutRecordBody } from '@carillon/contracts';
import { LocalBroker } from '../drivers/local.js';
import { ClusterFleet } from '../fleet/cluster-fleet.js';
import { ObservedInterest } from '../fleet/observed-interest.js';
import { ClusterLanes } from '../lanes/cluster-lanes.js';
import type { LiveEvent } from '../live-event.js';
import type { BrokerListener, Gathered, OpenedBroker } from '../port.js';
import type { Answer, Question, RevokedTokens } from '../question.js';
import { someHostAnswers } from './broker-hosts.js';
import type { ClusterParts } from './cluster-parts.js';
import { NodeSubscriptions } from './node-subscriptions.js';
import { Identity } from './identity.js';
import { Link } from './link.js';
import { Membership } from './membership.js';
import type { ClusterMeters, ClusterReadings } from './meters.js';
import { Notices } from './notices.js';
import { Outbox } from './outbox.js';
import { MessageSender } from './message-sender.js';
import { Questions } from './questions.js';
import { Reception } from './reception.js';
import { Subscriptions } from './subscriptions.js';
import { Traffic } from './traffic.js';
import { said, within } from './waiting.js';
import type { Session } from './wire.js';

/** A node with more channels is warned about. */
const MANY_CHANNELS = 200_000;
/** A channel that waits longer makes the node unhealthy. */
const MISSING_MS = 5000;
/** Limit of the first connection attempt before a warning names the broker. */
const BEGIN_WITHIN_MS = 1500;
/** Limit of the farewell and of closing the session, each. */
const LEAVE_WITHIN_MS = 2000;

/** Broker client of an installation of several processes, over any `Wire`. */
export class ClusterBroker implements OpenedBroker {
  readonly lanes: ClusterLanes;
  readonly fleet: ClusterFleet;
  readonly #own: LocalBroker;
  readonly #identity: Identity;
  readonly #link: Link;
  readonly #outbox = new Outbox();
  readonly #subscriptions: Subscriptions;
  readonly #hearing: NodeSubscriptions;
  readonly #membership: Membership;
  readonly #questions: Questions;
  readonly #traffic: Traffic;
  readonly #interest: ObservedInterest;
  readonly #reception: Reception;
  readonly #notices: Notices;
  readonly #meters: ClusterMeters;
  readonly #parts: ClusterParts;
  #isMember = false;
  /** Settles when the first attempt has failed, or has worked and the others are known. */
  readonly #begun: Promise<void>;
  #begin: () => void = () => {};
  #closing: Promise<void> | null = null;

  constructor(parts: ClusterParts) {
    const { wire, options, log, onFault } = parts;
    this.#parts = parts;
    this.#identity = new Identity(parts.newNodeId(), parts.newNodeId);
    this.#own = new LocalBroker(this.nodeId, onFault);
    this.#begun = new Promise((resolve) => (this.#begin = resolve));
    this.#meters = parts.meters(() => this.#readings());
    const { maxMessageBytes } = options;
    const [identity, meters] = [this.#identity, this.#meters];
    const post = new MessageSender({ names: wire.names, outbox: this.#outbox, maxMessageBytes, meters, log });
    this.#notices = new Notices({
      identity,
      post,
      own: this.#own,
      outage: { peers: () => this.peers, hostAnswers: () => someHostAnswers(wire.hosts ?? []) },
    });
    this.#link = this.#newLink();
    this.#subscriptions = this.#newSubscriptions();
    this.#hearing = new NodeSubscriptions({
      names: wire.names,
      identity,
      subscriptions: this.#subscriptions,
      link: this.#link,
    });
    this.#membership = new Membership({
      options,
      identity,
      post,
      meters,
      log,
      hears: () => this.#hearing.problem === null,
      answers: () => this.#link.session?.check() ?? Promise.reject(new Error('not connected')),
      onGone: (nodeId) => {
        this.#questions.gone(nodeId);
        this.fleet.gone(nodeId);
      },
      onDeclaredDead: () => this.#hearing.rename(),
    });
    this.#questions = new Questions({
      ...options,
      identity,
      post,
      meters,
      membership: this.#membership,
      isAsked: () => this.#isMember,
      problem: () => this.#hearing.problem,
      own: (kind, appId, about) => this.#own.ask(kind, appId, about),
    });
    this.#traffic = new Traffic({
      routing: options.routing,
      identity,
      names: wire.names,
      post,
      meters,
      members: this.#membership.members,
      subscriptions: this.#subscriptions,
      hasPatterns: () => this.#link.session?.hasPatterns !== false,
      hearShared: async () => {
        await this.#membership.hearShared();
        // A node that answers this has processed the earlier message.
        await this.#questions.ask('sockets_count', '', null);
      },
      deliver: (event, nodeId) => this.#own.publish(event, nodeId),
      deliverRecord: (record) => this.#own.deliverRecord(record),
    });
    this.#interest = new ObservedInterest(this.#own, this.#traffic);
    this.fleet = new ClusterFleet({
      identity,
      post,
      membership: this.#membership,
      hearing: this.#hearing,
      maxMessageBytes,
      log,
      begun: this.#begun,
      isMember: () => this.#isMember,
      observe: (appId, channel, observer) => this.#interest.observe(appId, channel, observer),
    });
    this.lanes = new ClusterLanes({
      maxBytes: maxMessageBytes,
      writers: wire.names.writers,
      subscribe: (address) => this.#subscriptions.hold(address),
      handOver: (record) => this.#handOver(record),
      onDropped: (reason) => {
        meters.dropped();
        log.warn('request to a lane dropped', { reason });
      },
    });
    this.#reception = new Reception({
      identity,
      membership: this.#membership,
      questions: this.#questions,
      traffic: this.#traffic,
      notices: this.#notices,
      fleet: this.fleet,
      maxMessageBytes,
      meters,
      log,
    });
    this.#link.start();
  }

  get nodeId(): string {
    return this.#identity.nodeId;
  }

  /** The other nodes with sockets that are known to live. */
  get peers(): readonly string[] {
    return this.#membership.members.nodeIds;
  }

  listen(listener: BrokerListener): void {
    this.#own.listen(listener);
    if (this.#closing !== null) return;
    this.#isMember = true;
    this.#membership.join();
    this.#hearing.all();
  }

  publish(event: LiveEvent): Promise<void> {
    this.#own.publish(event, this.nodeId);
    if (this.#closing !== null) return Promise.reject(new Error('the broker is closed'));
    return this.#traffic.publish(event);
  }

  subscribe(appId: string, channel: string): Promise<void> | undefined {
    if (this.#closing !== null) return Promise.reject(new Error('the broker is closed'));
    if (this.#subscriptions.size > MANY_CHANNELS) {
      this.#parts.log.warn('very many channels are subscribed to in this process', { over: MANY_CHANNELS });
    }
    return this.#interest.subscribe(appId, channel);
  }

  unsubscribe(appId: string, channel: string): void {
    this.#interest.unsubscribe(appId, channel);
  }

  subscribeAll(appId: string): Promise<void> | undefined {
    if (this.#closing !== null) return Promise.reject(new Error('the broker is closed'));
    return this.#interest.subscribe(appId, null);
  }

  unsubscribeAll(appId: string): void {
    this.#interest.unsubscribe(appId, null);
  }

  async ask<K extends keyof Question>(kind: K, appId: string, about: Question[K]): Promise<Gathered<K>> {
    if (!this.#isMember) await this.#hearing.answers(this.#parts.options.requestTimeoutMs);
    return this.#questions.ask(kind, appId, about);
  }

  askNode<K extends keyof Question>(
    nodeId: string,
    kind: K,
    appId: string,
    about: Question[K],
    timeoutMs: number,
  ): Promise<Answer[K] | undefined> {
    return this.#questions.askNode(nodeId, kind, appId, about, timeoutMs);
  }

  /** The writers of this process see to it that nothing is handed over twice; here as elsewhere it goes by serials. */
  #handOver(record: FanOutRecordBody): Promise<void> {
    if (this.#closing !== null) return Promise.reject(new Error('the broker is closed'));
    this.#own.deliverRecord(record);
    return this.#traffic.publishRecord(record);
  }

  tellAppChanged(appId: string): Promise<void> {
    return this.#notices.tellAppChanged(appId);
  }

  tellTokensRevoked(appId: string, revoked: RevokedTokens): Promise<void> {
    return this.#questions.tellTokensRevoked(appId, revoked);
  }

  async health(): Promise<string | null> {
    if (this.#closing !== null) return 'the broker is closed';
    await within(BEGIN_WITHIN_MS, this.#begun);
    const { problem } = this.#hearing;
    if (problem !== null) return problem;
    const missing = this.#subscriptions.missingLongerThan(MISSING_MS);
    if (missing > 0) return `${missing} channels wait for the broker for more than ${MISSING_MS} ms`;
    return said(this.#link.session?.check());
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#own.close();
    await within(LEAVE_WITHIN_MS, this.#membership.leave());
    this.#begin();
    this.#questions.close();
    this.fleet.close();
    this.lanes.close();
    this.#subscriptions.close();
    this.#outbox.close();
    await within(LEAVE_WITHIN_MS, this.#link.close());
  }

  #newLink(): Link {
    const { wire, options, log } = this.#parts;
    return new Link(
      wire,
      {
        opened: (session, isFirst) => {
          log.info('connected to the broker', { reconnected: !isFirst });
          if (!isFirst) this.#meters.reconnected();
          this.#subscriptions.attach(session);
          this.#outbox.attach(session);
          this.lanes.attach(session);
          if (this.#subscriptions.isComplete) void this.#announce();
        },
        lost: (reason, sinceMs) => {
          log.warn('connection to the broker lost', { error: reason, retryable: true });
          this.#subscriptions.detach();
          this.#outbox.detach();
          this.lanes.detach();
          this.#notices.outOfReach(sinceMs);
        },
        failed: (error, givesUp) => {
          if (givesUp) {
            log.error('broker given up', { error });
            wire.givenUp?.();
          } else log.warn('broker not reachable, trying again', { error, retryable: true });
          this.#begin();
        },
        message: (address, bytes) => {
          if (!this.lanes.received(address, bytes)) this.#reception.receive(address, bytes);
        },
        dropped: (addresses) => this.#subscriptions.dropped(addresses),
      },
      options.maxReconnects,
    );
  }

  #newSubscriptions(): Subscriptions {
    return new Subscriptions({
      ...this.#parts.options,
      onConfirmed: (afterMs) => this.#meters.interestConfirmed(afterMs),
      onTimeout: () => this.#meters.interestTimeout(),
      onRefused: (address) => {
        this.#meters.interestRefused();
        this.#parts.log.warn('the broker refuses a subscription', { address });
      },
      onComplete: () => void this.#announce(),
      onReturned: () => this.#notices.inReachAgain(),
      onFault: (session: Session, reason: string) => this.#link.fail(session, reason),
    });
  }

  /** Announces this node whenever it starts to receive, so that it learns of nodes that joined meanwhile. */
  async #announce(): Promise<void> {
    if (this.#closing !== null) return;
    // A process without requests of its own needs no membership.
    if (this.#hearing.isNeeded) await this.#membership.announce();
    this.#begin();
  }

  #readings(): ClusterReadings {
    const { members } = this.#membership;
    return {
      queueDepth: this.#outbox.size,
      interestChannels: this.#subscriptions.size,
      nodes: members.size + (this.#isMember ? 1 : 0),
      isLeader: this.#isMember && members.isLeader(this.nodeId),
    };
  }
}
