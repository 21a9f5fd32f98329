import { setImmediate as soon } from 'node:timers/promises';
import {
  LocalBroker,
  mergeAnswers,
  type Broker,
  type BrokerListener,
  type Gathered,
  type LiveEvent,
  type OnListenerFault,
  type Question,
  type RevokedTokens,
} from '../src/index.js';

/** One of several nodes in this process: events of other nodes arrive later, for subscribed channels. */
class JoinedBroker implements Broker {
  readonly #own: LocalBroker;
  readonly #wanted = new Set<string>();
  readonly #whole = new Set<string>();
  #published: Promise<void> = Promise.resolve();

  constructor(
    readonly nodeId: string,
    onFault: OnListenerFault,
    private readonly nodes: Set<JoinedBroker>,
  ) {
    this.#own = new LocalBroker(nodeId, onFault);
    nodes.add(this);
  }

  listen(listener: BrokerListener): void {
    this.#own.listen(listener);
  }

  publish(event: LiveEvent): Promise<void> {
    this.#own.publish(event);
    this.#published = this.#afterwards(this.#published, event);
    return this.#published;
  }

  async #afterwards(earlier: Promise<void>, event: LiveEvent): Promise<void> {
    await earlier;
    await soon();
    for (const peer of this.#peers()) {
      const isWanted = peer.#whole.has(event.appId) || peer.#wanted.has(`${event.appId} ${event.channel}`);
      if (isWanted) peer.#own.publish({ ...event });
    }
  }

  readonly peers: readonly string[] = [];

  askNode(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async subscribe(appId: string, channel: string): Promise<void> {
    await soon();
    this.#wanted.add(`${appId} ${channel}`);
  }

  unsubscribe(appId: string, channel: string): void {
    this.#wanted.delete(`${appId} ${channel}`);
  }

  async subscribeAll(appId: string): Promise<void> {
    await soon();
    this.#whole.add(appId);
  }

  unsubscribeAll(appId: string): void {
    this.#whole.delete(appId);
  }

  async ask<Kind extends keyof Question>(
    kind: Kind,
    appId: string,
    about: Question[Kind],
  ): Promise<Gathered<Kind>> {
    const parts = [await this.#own.ask(kind, appId, about)];
    for (const peer of this.#peers()) parts.push(await peer.#own.ask(kind, appId, about));
    return {
      answer: mergeAnswers(
        kind,
        parts.map(({ answer }) => answer),
      ),
      complete: parts.every(({ complete }) => complete),
    };
  }

  async tellAppChanged(appId: string): Promise<void> {
    await soon();
    for (const peer of this.#peers()) peer.#own.notify((listener) => listener.appChanged?.(appId));
  }

  async tellTokensRevoked(appId: string, revoked: RevokedTokens): Promise<void> {
    await soon();
    await Promise.all(this.#peers().map((peer) => peer.#own.ask('token_revoked', appId, revoked)));
  }

  health(): Promise<string | null> {
    return this.#own.health();
  }

  close(): Promise<void> {
    this.nodes.delete(this);
    return this.#own.close();
  }

  /** None for a node that has left. */
  #peers(): JoinedBroker[] {
    return this.nodes.has(this) ? [...this.nodes].filter((node) => node !== this) : [];
  }
}

/** Three nodes of one installation. */
export function threeJoinedNodes(onFault: OnListenerFault): readonly [Broker, Broker, Broker] {
  const nodes = new Set<JoinedBroker>();
  const node = (nodeId: string) => new JoinedBroker(nodeId, onFault, nodes);
  return [node('node-1'), node('node-2'), node('node-3')];
}
