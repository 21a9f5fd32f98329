import type { StoreLink } from '../../src/cluster/store.js';
import { wrapped } from './wrapped-link.js';

/** Replaces all keys with the second prefix by copies of those with the first, atomically. */
const BECOME = `
for _, key in ipairs(redis.call('KEYS', ARGV[2] .. '*')) do redis.call('DEL', key) end
for _, key in ipairs(redis.call('KEYS', ARGV[1] .. '*')) do
  redis.call('COPY', key, ARGV[2] .. string.sub(key, #ARGV[1] + 1))
end`;
const NOTHING = 'no key begins like this';

/** A store that can be reset to an earlier copy or to nothing. */
export class ForgetfulStore {
  losses = 0;
  /** Whether it may still lack lost data. */
  isLossy = false;

  constructor(
    private readonly link: Pick<StoreLink, 'call' | 'close'>,
    private readonly prefix: string,
  ) {}

  /** A connection that knows that another server may have taken the place of the one before. */
  seenBy(link: StoreLink): StoreLink {
    return wrapped(link, { generation: () => link.generation + this.losses });
  }

  async copy(): Promise<void> {
    await this.#become(this.prefix, this.#copies);
  }

  /** `isUnseen`: no connection is lost over it. */
  async lose({ isUnseen = false } = {}): Promise<void> {
    await this.#become(this.#copies, this.prefix);
    if (!isUnseen) this.losses += 1;
    this.isLossy = true;
  }

  /** Loses only the shard registrations, which in a cluster are on other servers than the holdings. */
  async loseNotes(): Promise<void> {
    const keys = (await this.link.call('keys', `${this.prefix}*:index`)) as string[];
    await this.link.call('del', ...keys);
    this.losses += 1;
    this.isLossy = true;
  }

  async close(): Promise<void> {
    await this.#become(NOTHING, this.#copies);
    this.link.close();
  }

  get #copies(): string {
    return `copy-of-${this.prefix}`;
  }

  async #become(from: string, to: string): Promise<void> {
    await this.link.call('eval', BECOME, 0, from, to);
  }
}
