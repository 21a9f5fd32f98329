import { usageError } from '../program/errors.js';
import { baseUrl, isLoopback, type Level } from './level.js';

export interface AppCredentials {
  readonly appId: string;
  readonly key: string;
  readonly secret: string;
  /** Whether they are those of the demo, and so say nothing about the app of a user. */
  readonly isDemo: boolean;
}

const DEFAULT_URL = 'http://127.0.0.1:6001';
/** The app of `carillon serve` without a configuration. */
const DEMO: Level = { appId: '1001', key: 'demo-key', secret: 'demo-secret' };

/** Addresses and credentials of one call, each value from the first level with that value. */
export class Connection {
  readonly #levels: readonly Level[];
  readonly url: string;
  readonly manageUrl: string;
  readonly #demoFrom: number;

  /** `levels`: highest first. */
  constructor(levels: readonly Level[]) {
    this.url = baseUrl(first(levels, 'url') ?? DEFAULT_URL, '--url');
    this.manageUrl = baseUrl(first(levels, 'manageUrl') ?? this.url, '--manage-url');
    this.#demoFrom = levels.length;
    this.#levels = isLoopback(this.url) ? [...levels, DEMO] : levels;
  }

  /** Null: no level has one. */
  get token(): string | null {
    return first(this.#levels, 'token') ?? null;
  }

  get appId(): string {
    const id = first(this.#levels, 'appId');
    if (id === undefined) throw usageError('no app is named', 'give --app, --key and --secret, or --app-url');
    return id;
  }

  get key(): string {
    return this.#ofApp('key');
  }

  get secret(): string {
    return this.#ofApp('secret');
  }

  get credentials(): AppCredentials {
    const { appId, key, secret } = this;
    return { appId, key, secret, isDemo: this.#levelWith('secret') >= this.#demoFrom };
  }

  #ofApp(member: 'key' | 'secret'): string {
    const value = this.#levels[this.#levelWith(member)]?.[member];
    if (value === undefined)
      throw usageError(`no ${member} for app "${this.appId}"`, `give --${member}, or --app-url`);
    return value;
  }

  /**
   * Index of the first level with a key or secret of the app; -1: none. A value belongs to the app that its level or the
   * next level below names: a signature with the credentials of another app only yields 401.
   */
  #levelWith(member: 'key' | 'secret'): number {
    const { appId } = this;
    return this.#levels.findIndex((level, index) => {
      if (level[member] === undefined) return false;
      const owner = first(this.#levels.slice(index), 'appId');
      return owner === undefined || owner === appId;
    });
  }
}

const first = (levels: readonly Level[], member: keyof Level): string | undefined =>
  levels.find((level) => level[member] !== undefined)?.[member];
