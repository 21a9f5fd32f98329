import { RedisUnavailable, type RedisArgument, type RedisLink, type RedisScript } from '@carillon/redis';
import { checkAmount, checkLimit, checkTtl } from '../arguments.js';
import { CacheUnavailable, CacheValueNotInteger } from '../failures.js';
import type { Cache, CacheEntry, CachePage } from '../port.js';
import { scanStep } from '../redis/scan.js';
import { COMPARE_AND_REMOVE, COMPARE_AND_SWAP, INCREMENT_BY, READ_ENTRY } from '../redis/scripts.js';

export interface RedisCacheParts {
  readonly link: RedisLink;
  /** Separate connection for the health check, so that it does not queue behind other commands. */
  readonly healthLink: RedisLink;
  /** In front of every name, as written. */
  readonly prefix: string;
  /** For entries that bring no time of their own; 0 does not expire. */
  readonly defaultTtlMs: number;
}

const timeArguments = (ttlMs: number): readonly RedisArgument[] => (ttlMs === 0 ? [] : ['px', ttlMs]);

/** Drivers `redis` and `redis-cluster`. Every operation is one command or script on one key. */
export class RedisCache implements Cache {
  readonly #link: RedisLink;
  readonly #healthLink: RedisLink;
  readonly #prefix: string;
  readonly #defaultTtlMs: number;

  constructor({ link, healthLink, prefix, defaultTtlMs }: RedisCacheParts) {
    this.#link = link;
    this.#healthLink = healthLink;
    this.#prefix = prefix;
    this.#defaultTtlMs = defaultTtlMs;
  }

  async has(name: string): Promise<boolean> {
    return (await this.#call('exists', name)) === 1;
  }

  async get(name: string): Promise<string | null> {
    return (await this.#call('get', name)) as string | null;
  }

  async entry(name: string): Promise<CacheEntry | null> {
    const found = (await this.#run(READ_ENTRY, name)) as [string, number] | null;
    if (found === null) return null;
    const [value, ttlMs] = found;
    return { value, ttlMs: ttlMs < 0 ? null : Math.max(1, ttlMs) };
  }

  async set(name: string, value: string, ttlMs: number = this.#defaultTtlMs): Promise<void> {
    checkTtl(ttlMs);
    await this.#call('set', name, value, ...timeArguments(ttlMs));
  }

  async remove(name: string): Promise<boolean> {
    return (await this.#call('del', name)) === 1;
  }

  async setIfAbsent(name: string, value: string, ttlMs: number): Promise<boolean> {
    checkTtl(ttlMs);
    return (await this.#call('set', name, value, 'nx', ...timeArguments(ttlMs))) === 'OK';
  }

  async compareAndSwap(name: string, expected: string, value: string, ttlMs: number): Promise<boolean> {
    checkTtl(ttlMs);
    return (await this.#run(COMPARE_AND_SWAP, name, expected, value, ttlMs)) === 1;
  }

  async compareAndRemove(name: string, expected: string): Promise<boolean> {
    return (await this.#run(COMPARE_AND_REMOVE, name, expected)) === 1;
  }

  async incrementBy(name: string, amount: number, ttlMs: number): Promise<number> {
    checkAmount(amount);
    checkTtl(ttlMs);
    const sum = await this.#run(INCREMENT_BY, name, amount, ttlMs);
    if (sum === null) throw new CacheValueNotInteger(name);
    return Number(sum);
  }

  async scanPrefix(prefix: string, cursor: string | null, limit: number): Promise<CachePage> {
    checkLimit(limit);
    const step = await available(scanStep(this.#link, this.#prefix + prefix, cursor, limit));
    return { names: step.keys.map((key) => key.slice(this.#prefix.length)), cursor: step.cursor };
  }

  async health(): Promise<string | null> {
    return (await this.#link.connected()) ?? (await this.#healthLink.health());
  }

  async close(): Promise<void> {
    this.#link.close();
    this.#healthLink.close();
  }

  #call(command: string, name: string, ...rest: readonly RedisArgument[]): Promise<unknown> {
    return available(this.#link.call(command, this.#prefix + name, ...rest));
  }

  #run(script: RedisScript, name: string, ...rest: readonly RedisArgument[]): Promise<unknown> {
    return available(this.#link.run(script, this.#prefix + name, ...rest));
  }
}

async function available<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (thrown) {
    throw thrown instanceof RedisUnavailable ? new CacheUnavailable(undefined, thrown) : thrown;
  }
}
