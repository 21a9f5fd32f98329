import { type Config, type Configured, printable } from '@carillon/config';
import type { Logger } from '../logging/logger.js';

/** A section of the configuration, or what of one can be taken without the rest. */
export type Section = keyof Config | 'compat.keys';

export interface ReloadsOptions {
  /** What the process started with. */
  readonly config: Config;
  /** Reads the same sources once more. Absent: there are none to read. */
  readonly read?: () => Configured;
  readonly log: Logger;
}

interface Taker {
  readonly section: Section;
  readonly take: (config: Config) => void;
}

/**
 * The configuration of a running process, read again when an operator says so, never by itself: a file that changes
 * does nothing. Only sections that somebody takes change; the others wait for a restart, and are named. A
 * configuration that is not valid changes nothing at all.
 */
export class Reloads {
  readonly #options: ReloadsOptions;
  readonly #takers: Taker[] = [];
  #latest: Config | null = null;

  constructor(options: ReloadsOptions) {
    this.#options = options;
  }

  /**
   * `take` must not throw for a valid configuration, and uses nothing of it but the section. It is told at once when
   * there was a reload already.
   */
  onReload(section: Section, take: (config: Config) => void): void {
    this.#takers.push({ section, take });
    if (this.#latest !== null) take(this.#latest);
  }

  /** Whether what was read is in use now. */
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
