import { APP_REGISTRY } from '@carillon/app-registry';
import { CACHE, type Cache } from '@carillon/cache';
import type { Config } from '@carillon/config';
import { HISTORY_STORE } from '@carillon/history-store';
import {
  CONFIG,
  errorText,
  HISTORY_HEALTH_SOURCE,
  LOGGING,
  type Logging,
  METRICS_REGISTRY,
  type Metrics,
  SHUTDOWN,
  type Shutdown,
} from '@carillon/runtime';
import { type DynamicModule, Global, type InjectionToken, Module } from '@nestjs/common';
import { FaultDesk } from './fault-desk.js';
import { type HistoryCommits, MarkingCommits } from './hints/marking-commits.js';
import { StateHints } from './hints/state-hints.js';
import { historyHealth } from './history-health.js';
import { MessageReader, type MessageSource } from './message-reader.js';
import { openForApps } from './open-for-apps.js';
import { PresenceHistoryReader, type PresenceHistoryReaderParts } from './presence-reader.js';
import { HistoryReader, type HistoryReaderOptions, type HistoryReads, type ShownAs } from './reader.js';

type PresenceReads = PresenceHistoryReaderParts['store'];

/** Token of the `HistoryReader`. */
export const HISTORY_READER = Symbol('history reader');
/** Token of the `MessageReader`. */
export const MESSAGE_READER = Symbol('message reader');
/** Token of the `PresenceHistoryReader`. */
export const PRESENCE_HISTORY_READER = Symbol('presence history reader');
/** Token of what they read: the store, or a writer that has it. */
export const STREAM_READS = Symbol('stream reads');
/** Token of the `HistoryCommits` by which everything in the process commits. */
export const HISTORY_COMMITS = Symbol('history commits');

const STATE_HINTS = Symbol('state hints');
const STORE_OPENER = Symbol('store opener');
const FAULT_DESK = Symbol('fault desk');

/** Where this process gets what it needs, by the tokens of other rooms. */
export interface HistorySources {
  readonly reads: InjectionToken;
  /** What commits without a thought for marks that are lost. */
  readonly commits: InjectionToken;
}

/**
 * The histories of channels, for the whole process. Needs `RuntimeModule`, `CacheModule` and the modules of its
 * sources.
 */
@Global()
@Module({})
export class HistoryModule {
  static over({ reads, commits }: HistorySources): DynamicModule {
    return {
      module: HistoryModule,
      providers: [
        { provide: STREAM_READS, useExisting: reads },
        { provide: STATE_HINTS, inject: [CACHE], useFactory: hintsOf },
        {
          provide: HISTORY_COMMITS,
          inject: [LOGGING, SHUTDOWN, reads, commits, STATE_HINTS],
          useFactory: commitsOf,
        },
        { provide: FAULT_DESK, inject: [CONFIG, LOGGING, HISTORY_COMMITS], useFactory: faultsOf },
        {
          provide: HISTORY_READER,
          inject: [CONFIG, reads, FAULT_DESK, STATE_HINTS, METRICS_REGISTRY],
          useFactory: readerOf,
        },
        {
          provide: PRESENCE_HISTORY_READER,
          inject: [CONFIG, reads, FAULT_DESK, STATE_HINTS],
          useFactory: presenceReaderOf,
        },
        { provide: MESSAGE_READER, inject: [CONFIG, reads], useFactory: messageReaderOf },
        {
          provide: STORE_OPENER,
          inject: [APP_REGISTRY, { token: HISTORY_STORE, optional: true }],
          useFactory: openForApps,
        },
        { provide: HISTORY_HEALTH_SOURCE, inject: [CONFIG, METRICS_REGISTRY], useFactory: historyHealth },
      ],
      exports: [
        HISTORY_COMMITS,
        HISTORY_HEALTH_SOURCE,
        HISTORY_READER,
        MESSAGE_READER,
        PRESENCE_HISTORY_READER,
        STREAM_READS,
      ],
    };
  }
}

const hintsOf = (cache: Cache): StateHints => new StateHints({ cache, elapsed: () => performance.now() });

function commitsOf(
  logging: Logging,
  shutdown: Shutdown,
  reads: HistoryReads,
  commits: HistoryCommits,
  hints: StateHints,
): MarkingCommits {
  const log = logging.for('service::history');
  const onTrouble = (error: unknown): void =>
    log.warn('a mark of a stream waits', { error: errorText(error), retryable: true });
  const marking = new MarkingCommits({ commits, hints, reads, now: Date.now, onTrouble });
  shutdown.onShutdown('flush', 'marks of streams', () => marking.stop());
  return marking;
}

function faultsOf(config: Config, logging: Logging, commits: HistoryCommits): FaultDesk {
  const log = logging.for('service::history');
  return new FaultDesk({
    commits,
    nodeId: config.instance.process_id,
    elapsed: () => performance.now(),
    onClaim: ({ appId: app_id, channel, kind }, { reason, fromSerial, toSerial }) =>
      log.error('a history does not look whole', {
        app_id,
        channel,
        kind,
        reason,
        from_serial: fromSerial,
        to_serial: toSerial,
      }),
    onTrouble: (error) => log.warn('claim about a stream lost', { error: errorText(error) }),
  });
}

function readerOf(
  config: Config,
  store: HistoryReads,
  faults: FaultDesk,
  hints: StateHints,
  metrics: Metrics,
): HistoryReader {
  const shown = metrics.counter('versioned_history_substitution_total');
  const onShown = (app_id: string, result: ShownAs): void => shown.for({ app_id, result }).add();
  return new HistoryReader({ store, now: Date.now, faults, hints, onShown }, optionsOf(config));
}

const presenceReaderOf = (
  config: Config,
  store: PresenceReads,
  faults: FaultDesk,
  hints: StateHints,
): PresenceHistoryReader =>
  new PresenceHistoryReader({ store, now: Date.now, faults, hints }, optionsOf(config));

const messageReaderOf = (config: Config, store: MessageSource): MessageReader => {
  const window = config.versioned_messages.retention_window_seconds;
  return new MessageReader(
    { store, now: Date.now },
    { timeoutMs: optionsOf(config).timeoutMs, windowMs: window === 0 ? null : window * 1000 },
  );
};

function optionsOf({ history, versioned_messages: versions }: Config): HistoryReaderOptions {
  const { backend } = history;
  return {
    timeoutMs: history[backend === 'memory' ? 'postgres' : backend].write_timeout_ms,
    source: backend === 'memory' ? 'in_memory' : 'durable_store',
    showsLatest: versions.enabled,
  };
}
