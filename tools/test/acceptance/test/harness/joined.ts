import { CACHE, CacheModule, MemoryCache } from '@carillon/cache';
import {
  FABRIC,
  type Answer,
  FabricModule,
  type FabricListener,
  type Gathered,
  type LaneFabric,
  LocalFabric,
  type LiveEvent,
  mergeAnswers,
  type OpenedFabric,
  type Question,
  type RevokedTokens,
} from '@carillon/broker';
import { HISTORY_STORE, HistoryStoreModule, MemoryHistoryStore, PurgeModule } from '@carillon/history-store';
import type { AppDefinition } from '@carillon/runtime';

type Record = Parameters<LaneFabric['handOver']>[0];
type Module = ReturnType<AppDefinition['modules']>[number];

/** Local fabrics of several apps, each of which hears what any of them publishes and is asked what any of them asks. */
class JoinedFabrics {
  readonly #fabrics: LocalFabric[] = [];

  /** A fabric for one more app. */
  join(name: string): OpenedFabric {
    const own = new LocalFabric(name, (doing, error) => {
      throw new Error(`${name}: ${doing}`, { cause: error });
    });
    this.#fabrics.push(own);
    return {
      nodeId: name,
      listen: (listener: FabricListener) => own.listen(listener),
      publish: (event) => this.#publish(event),
      subscribe: () => undefined,
      unsubscribe: () => undefined,
      subscribeAll: () => undefined,
      unsubscribeAll: () => undefined,
      ask: (kind, appId, about) => this.#ask(kind, appId, about),
      tellAppChanged: () => undefined,
      tellTokensRevoked: (appId, revoked) => this.#tellTokensRevoked(own, appId, revoked),
      health: () => own.health(),
      close: () => own.close(),
      lanes: Object.assign(Object.create(own.lanes) as LaneFabric, {
        handOver: (record: Record) => this.#handOver(record),
      }),
    };
  }

  async #handOver(record: Record): Promise<void> {
    await Promise.all(this.#fabrics.map(({ lanes }) => lanes.handOver(record)));
  }

  #publish(event: LiveEvent): undefined {
    for (const fabric of this.#fabrics) fabric.publish(event);
  }

  async #tellTokensRevoked(from: LocalFabric, appId: string, revoked: RevokedTokens): Promise<void> {
    const others = this.#fabrics.filter((fabric) => fabric !== from);
    await Promise.all(others.map((fabric) => fabric.ask('token_revoked', appId, revoked)));
  }

  async #ask<Kind extends keyof Question>(
    kind: Kind,
    appId: string,
    about: Question[Kind],
  ): Promise<Gathered<Kind>> {
    const gathered = await Promise.all(this.#fabrics.map((fabric) => fabric.ask(kind, appId, about)));
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
  readonly #fabrics = new JoinedFabrics();
  readonly #store = new MemoryHistoryStore();
  readonly #cache = new MemoryCache({ capacity: 100_000, defaultTtlMs: 0, cleanupIntervalMs: 60_000 });

  /** The same app, joined. Everything else of it is as it ships. */
  member(name: string, app: AppDefinition): AppDefinition {
    const shared = new Map<unknown, Module>([
      [FabricModule, provided(FABRIC, this.#fabrics.join(name))],
      [CacheModule, provided(CACHE, this.#cache)],
      [HistoryStoreModule, provided(HISTORY_STORE, this.#store)],
      [PurgeModule, { module: class {} }],
    ]);
    return { ...app, modules: (config) => app.modules(config).map((one) => shared.get(one) ?? one) };
  }
}
