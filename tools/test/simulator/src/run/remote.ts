import type { Env } from './env.js';

/** Time after which a request to a store fails without an answer. */
const TIMEOUT_MS = 1000;

export interface RemoteOptions {
  /** Process that holds the store. */
  readonly server: number;
  /** Error of a request without an answer. */
  readonly failure: () => Error;
  /** Methods that return at once and are not requests. */
  readonly local?: readonly string[];
}

/** A store in another process: each call of a method is a request over the network, with the faults of stores. */
export function remote<Store extends object>(env: Env, store: Store, options: RemoteOptions): Store {
  const { local = [] } = options;
  return new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function' || typeof name !== 'string') return member;
      if (local.includes(name)) return member.bind(target);
      return (...args: unknown[]) =>
        request(env, options, name, () => Reflect.apply(member, target, args) as unknown);
    },
  });
}

/** One request: it may be lost before or after it took effect, and the caller may die meanwhile. */
function request<Answer>(
  env: Env,
  { server, failure }: RemoteOptions,
  label: string,
  run: () => Answer | Promise<Answer>,
): Promise<Answer> {
  const { simulation, network } = env;
  const caller = simulation.current;
  const { incarnation } = simulation.inside(caller, () => ({ incarnation: simulation.incarnation(caller) }));
  const { storeTimeout, storeTimeoutAfterSuccess } = network.rates;
  const isLostBefore = simulation.random.chance(storeTimeout);
  const isLostAfter = simulation.random.chance(storeTimeoutAfterSuccess);
  return new Promise<Answer>((resolve, reject) => {
    const stop = simulation.after(TIMEOUT_MS, `${label} timeout`, () => reject(failure()));
    const answer = (settle: () => void): void => {
      if (isLostAfter || network.isCut(server, caller)) return;
      simulation.deliver(caller, network.latencyMs(), `${label} answered`, () => {
        if (simulation.incarnation(caller) !== incarnation) return;
        stop();
        settle();
      });
    };
    const isLost = isLostBefore || network.isCut(caller, server) || env.isStoreDown;
    if (isLost || simulation.random.chance(network.rates.drop)) return;
    simulation.deliver(server, network.latencyMs(), label, () => {
      if (env.isStoreDown) return;
      void (async () => run())().then(
        (value) => answer(() => resolve(value)),
        (error: unknown) => answer(() => reject(error instanceof Error ? error : new Error(String(error)))),
      );
    });
  });
}
