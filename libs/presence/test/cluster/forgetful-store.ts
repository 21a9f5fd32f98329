import type { StoreLink } from '../../src/cluster/store.js';

/** A store that goes back to what it was when a copy of it was made, or to nothing. */
export class ForgetfulStore {
  losses = 0;
  /** Whether it may still lack what it has lost. */
  isLossy = false;

  constructor(
    private readonly link: Pick<StoreLink, 'call' | 'close'>,
    private readonly prefix: string,
  ) {}

  /** A connection that knows that another server may have taken the place of the one before. */
  seenBy(link: StoreLink): StoreLink {
    const losses = (): number => this.losses;
    return {
      get generation() {
        return link.generation + losses();
      },
      call: (command, ...args) => link.call(command, ...args),
      health: () => link.health(),
      close: () => link.close(),
    };
  }

  async copy(): Promise<void> {
    await this.#clear(this.#copyName(''));
    for (const key of await this.#keys(this.prefix)) await this.link.call('copy', key, this.#copyName(key));
  }

  /** `isUnseen`: no connection is lost over it. */
  async lose({ isUnseen = false } = {}): Promise<void> {
    await this.#clear(this.prefix);
    const from = this.#copyName('');
    for (const key of await this.#keys(from)) await this.link.call('copy', key, key.slice(from.length));
    if (!isUnseen) this.losses += 1;
    this.isLossy = true;
  }

  /** Loses only what is noted of processes, which in a cluster is on other servers than what they hold. */
  async loseNotes(): Promise<void> {
    for (const key of await this.#keys(this.prefix))
      if (key.endsWith(':index')) await this.link.call('del', key);
    this.losses += 1;
    this.isLossy = true;
  }

  async close(): Promise<void> {
    await this.#clear(this.#copyName(''));
    this.link.close();
  }

  #copyName(key: string): string {
    return `copy-of-${this.prefix}/${key}`;
  }

  async #clear(prefix: string): Promise<void> {
    const keys = await this.#keys(prefix);
    if (keys.length > 0) await this.link.call('del', ...keys);
  }

  async #keys(prefix: string): Promise<string[]> {
    return (await this.link.call('keys', `${prefix}*`)) as string[];
  }
}
