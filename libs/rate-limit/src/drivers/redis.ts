import { randomBytes } from 'node:crypto';
import { type NamedScript, RedisUnavailable, type RedisArgument, type RedisLink } from '@carillon/redis';
import { RateLimitUnavailable } from '../failures.js';
import type { RateLimit, RateRule, RateVerdict } from '../port.js';
import { CHECK, TAKE } from '../redis/scripts.js';
import { bucketVerdict, checkNumbers, verdict } from '../verdict.js';

const RADIX = 36;
const NAME_BYTES = 9;

/** Drivers `redis` and `redis-cluster`: counted by the server's clock, for all processes together. */
export class RedisRateLimit implements RateLimit {
  readonly #link: RedisLink;
  readonly #prefix: string;
  /** Prefix of unique check names. */
  readonly #process = randomBytes(NAME_BYTES).toString('base64url');
  #checks = 0;

  /** The prefix precedes every key, as written. */
  constructor(link: RedisLink, prefix: string) {
    this.#link = link;
    this.#prefix = prefix;
  }

  async check(rule: RateRule, subject: string, cost = 1): Promise<RateVerdict> {
    checkNumbers(rule, cost);
    this.#checks += 1;
    const name = `${this.#process}${this.#checks.toString(RADIX)}`;
    // The name of the check keeps it from being counted twice.
    const args = [rule.windowMs, rule.limit, cost, name];
    const [allowed, counted] = await this.#ask(CHECK, `${rule.identifier}:${subject}`, args);
    return verdict(rule, allowed === 1, Number(counted));
  }

  async take(rule: RateRule, subject: string, cost = 1): Promise<RateVerdict> {
    checkNumbers(rule, cost);
    const args = [rule.windowMs, rule.limit, cost];
    const [allowed, missingMs] = await this.#ask(TAKE, `bucket:${rule.identifier}:${subject}`, args);
    return bucketVerdict(rule, allowed === 1, Number(missingMs), cost);
  }

  health(): Promise<string | null> {
    return this.#link.health();
  }

  async close(): Promise<void> {
    this.#link.close();
  }

  async #ask(script: NamedScript, name: string, args: readonly RedisArgument[]): Promise<readonly unknown[]> {
    try {
      return (await this.#run(script, this.#prefix + name, args)) as readonly unknown[];
    } catch (thrown) {
      throw new RateLimitUnavailable(undefined, thrown);
    }
  }

  /** Once more when the connection was lost. */
  async #run(script: NamedScript, key: string, args: readonly RedisArgument[]): Promise<unknown> {
    try {
      return await this.#link.run(script, key, ...args);
    } catch (thrown) {
      if (!(thrown instanceof RedisUnavailable) || thrown.failure !== 'lost') throw thrown;
      return this.#link.run(script, key, ...args);
    }
  }
}
