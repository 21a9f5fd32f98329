import { CACHE, CacheModule, MemoryCache } from '@carillon/cache';
import {
  BROKER,
  type Answer,
  BrokerModule,
  type BrokerListener,
  type Gathered,
  type LaneBroker,
  LocalBroker,
  type LiveEvent,
  mergeAnswers,
  type OpenedBroker,
  type Question,
  type RevokedTokens,
} from '@carillon/broker';
import { HISTORY_STORE, HistoryStoreModule, MemoryHistoryStore, PurgeModule } from '@carillon/history-store';
import type { AppDefinition } from '@carillon/runtime';

type Record = Parameters<LaneBroker['handOver']>[0];
type Module = ReturnType<AppDefinition['modules']>[number];

/** Local brokers of several apps, each of which hears what any of them publishes and is asked what any of them asks. */
class JoinedBrokers {
  readonly #brokers: LocalBroker[] = [];

  /** A broker for one more app. */
  join(name: string): OpenedBroker {
    const own = new LocalBroker(name, (doing, error) => {
      throw new Error(`${name}: ${doing}`, { cause: error });
    });
    this.#brokers.push(own);
    const brokers = this.#brokers;
    return {
      nodeId: name,
      get peers() {
        return brokers.filter((one) => one !== own).map(({ nodeId }) => nodeId);
      },
      askNode: async (nodeId, kind, appId, about) => {
        const node = brokers.find((one) => one.nodeId === nodeId);
        return node === undefined ? undefined : (await node.ask(kind, appId, about)).answer;
      },
      listen: (listener: BrokerListener) => own.listen(listener),
      publish: (event) => this.#publish(event),
      subscribe: () => undefined,
      unsubscribe: () => undefined,
      subscribeAll: () => undefined,
      unsubscribeAll: () => undefined,
      ask: (kind, appId, about) => this.#ask(kind, appId, about),
      tellAppChanged: () => undefined,
      tellTokensRevoked: (appId, revoked) => this.#tellTokensRevoked(own, appId, revoked),
      fleet: own.fleet,
      health: () => own.health(),
      close: () => own.close(),
      lanes: Object.assign(Object.create(own.lanes) as LaneBroker, {
        handOver: (record: Record) => this.#handOver(record),
      }),
    };
  }

  async #handOver(record: Record): Promise<void> {
    await Promise.all(this.#brokers.map(({ lanes }) => lanes.handOver(record)));
  }

  #publish(event: LiveEvent): undefined {
    for (const broker of this.#brokers) broker.publish(event);
  }

  async #tellTokensRevoked(from: LocalBroker, appId: string, revoked: RevokedTokens): Promise<void> {
    const others = this.#brokers.filter((broker) => broker !== from);
    await Promise.all(others.map((broker) => broker.ask('token_revoked', appId, revoked)));
  }

  async #ask<Kind extends keyof Question>(
    kind: Kind,
    appId: string,
    about: Question[Kind],
  ): Promise<Gathered<Kind>> {
    const gathered = await Promise.all(this.#brokers.map((broker) => broker.ask(kind, appId, about)));
    const answers: Answer[Kind][] = gathered.map(({ answer }) => answer);
    return { answer: mergeAnswers(kind, answers), complete: gathered.every(({ complete }) => complete) };
  }
}

const provided = (token: symbol, useValue: unknown): Module => ({
  module: class {},
  global: true,
  providers: [{ provide: token, useValue }],
  exports: [token],
});

/** Apps of one process that share a cache and a history and hear each other: an installation without a broker. */
export class Group {
  readonly #brokers = new JoinedBrokers();
  readonly #store = new MemoryHistoryStore();
  readonly #cache = new MemoryCache({ capacity: 100_000, defaultTtlMs: 0, cleanupIntervalMs: 60_000 });

  /** The same app, joined. Everything else of it is as it ships. */
  member(name: string, app: AppDefinition): AppDefinition {
    const shared = new Map<unknown, Module>([
      [BrokerModule, provided(BROKER, this.#brokers.join(name))],
      [CacheModule, provided(CACHE, this.#cache)],
      [HistoryStoreModule, provided(HISTORY_STORE, this.#store)],
      [PurgeModule, { module: class {} }],
    ]);
    return { ...app, modules: (config) => app.modules(config).map((one) => shared.get(one) ?? one) };
  }
}
