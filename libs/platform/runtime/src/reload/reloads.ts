import { type Config, type Configured, printable } from '@carillon/config';
import type { Logger } from '../logging/logger.js';

/** A section of the configuration, or a part of one that can be reloaded separately. */
export type Section = keyof Config | 'compat.keys';

export interface ReloadsOptions {
  /** Configuration at start. */
  readonly config: Config;
  /** Reads the same sources again. Absent: there are none. */
  readonly read?: () => Configured;
  readonly log: Logger;
}

interface Taker {
  readonly section: Section;
  readonly take: (config: Config) => void;
}

/**
 * Configuration of a running process, reloaded on request of an operator, never when a file changes. Only sections
 * with a listener change; the others need a restart and are named. An invalid configuration changes nothing.
 */
export class Reloads {
  readonly #options: ReloadsOptions;
  readonly #takers: Taker[] = [];
  #latest: Config | null = null;

  constructor(options: ReloadsOptions) {
    this.#options = options;
  }

  /**
   * `take` must not throw for a valid configuration, and uses only its section. Called immediately if a reload has
   * already happened.
   */
  onReload(section: Section, take: (config: Config) => void): void {
    this.#takers.push({ section, take });
    if (this.#latest !== null) take(this.#latest);
  }

  /** Returns whether the new configuration is in use. */
  reload(): boolean {
    const { read, log } = this.#options;
    const outcome = read?.();
    if (outcome?.kind !== 'run') {
      log.error('configuration not read again, nothing changes', {
        error: outcome?.stderr.trim() ?? 'nothing to read',
      });
      return false;
    }
    this.#latest = outcome.config;
    for (const { take } of this.#takers) take(outcome.config);
    const waiting = this.#waiting(outcome.config);
    log.info('configuration read again', { sections: [...this.#taken].join(',') });
    if (waiting.length > 0)
      log.warn('changed settings that wait for a restart', { sections: waiting.join(',') });
    return true;
  }

  get #taken(): ReadonlySet<Section> {
    return new Set(this.#takers.map(({ section }) => section));
  }

  /** A secret that changed is not seen: it is not looked at. */
  #waiting(config: Config): readonly string[] {
    const [now, before] = [config, this.#options.config].map(
      (one) => printable(one) as Readonly<Record<string, unknown>>,
    );
    const taken: ReadonlySet<string> = this.#taken;
    const waitingOf = (section: string, value: unknown): string =>
      JSON.stringify(value, (name, one: unknown) => (taken.has(`${section}.${name}`) ? undefined : one));
    return Object.keys(now ?? {}).filter(
      (name) => !taken.has(name) && waitingOf(name, now?.[name]) !== waitingOf(name, before?.[name]),
    );
  }
}

/** Makes SIGHUP read the configuration again. */
export function reloadOnSignal(reloads: Pick<Reloads, 'reload'>): void {
  process.on('SIGHUP', () => void reloads.reload());
}
