import { randomBytes } from 'node:crypto';
import { RedisUnavailable, type RedisArgument, type RedisLink } from '@carillon/redis';
import { RateLimitUnavailable } from '../failures.js';
import type { RateLimit, RateRule, RateVerdict } from '../port.js';
import { CHECK } from '../redis/sliding-log-script.js';
import { checkNumbers, verdict } from '../verdict.js';

const RADIX = 36;
const NAME_BYTES = 9;

/** Drivers `redis` and `redis-cluster`: counted by the server's clock, for all processes together. */
export class RedisRateLimit implements RateLimit {
  readonly #link: RedisLink;
  readonly #prefix: string;
  /** With a number behind it, names a check that nobody else made. */
  readonly #process = randomBytes(NAME_BYTES).toString('base64url');
  #checks = 0;

  /** The prefix stands in front of every key, as written. */
  constructor(link: RedisLink, prefix: string) {
    this.#link = link;
    this.#prefix = prefix;
  }

  async check(rule: RateRule, subject: string, cost = 1): Promise<RateVerdict> {
    checkNumbers(rule, cost);
    const key = `${this.#prefix}${rule.identifier}:${subject}`;
    this.#checks += 1;
    const name = `${this.#process}${this.#checks.toString(RADIX)}`;
    try {
      const answer = await this.#ask(key, [rule.windowMs, rule.limit, cost, name]);
      const [allowed, counted] = answer as [number, number];
      return verdict(rule, allowed === 1, counted);
    } catch (thrown) {
      throw new RateLimitUnavailable(undefined, thrown);
    }
  }

  health(): Promise<string | null> {
    return this.#link.health();
  }

  async close(): Promise<void> {
    this.#link.close();
  }

  /** Once more when the connection was lost: the name of the check keeps it from being counted twice. */
  async #ask(key: string, args: readonly RedisArgument[]): Promise<unknown> {
    try {
      return await this.#link.run(CHECK, key, ...args);
    } catch (thrown) {
      if (!(thrown instanceof RedisUnavailable) || thrown.failure !== 'lost') throw thrown;
      return this.#link.run(CHECK, key, ...args);
    }
  }
}
