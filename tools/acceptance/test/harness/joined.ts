import { CACHE, CacheModule, MemoryCache } from '@carillon/cache';
import {
  FABRIC,
  type Answer,
  type Fabric,
  FabricModule,
  type FabricListener,
  type Gathered,
  LocalFabric,
  type LiveEvent,
  mergeAnswers,
  type Question,
} from '@carillon/fabric';
import type { AppDefinition } from '@carillon/runtime';

type Module = ReturnType<AppDefinition['modules']>[number];

/** Local fabrics of several apps, each of which hears what any of them publishes and is asked what any of them asks. */
class JoinedFabrics {
  readonly #fabrics: LocalFabric[] = [];

  /** A fabric for one more app. */
  join(name: string): Fabric {
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
      ask: (kind, appId, about) => this.#ask(kind, appId, about),
      tellAppChanged: () => undefined,
      health: () => own.health(),
      close: () => own.close(),
    };
  }

  #publish(event: LiveEvent): undefined {
    for (const fabric of this.#fabrics) fabric.publish(event);
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

/** Apps of one process that share a cache and hear each other: an installation without a broker. */
export class Group {
  readonly #fabrics = new JoinedFabrics();
  readonly #cache = new MemoryCache({ capacity: 100_000, defaultTtlMs: 0, cleanupIntervalMs: 60_000 });

  /** The same app, joined. Everything else of it is as it ships. */
  member(name: string, app: AppDefinition): AppDefinition {
    const shared = new Map<unknown, Module>([
      [FabricModule, provided(FABRIC, this.#fabrics.join(name))],
      [CacheModule, provided(CACHE, this.#cache)],
    ]);
    return { ...app, modules: (config) => app.modules(config).map((one) => shared.get(one) ?? one) };
  }
}
