import { APP_REGISTRY } from '@carillon/app-registry';
import { CACHE } from '@carillon/cache';
import type { Config } from '@carillon/config';
import { HISTORY_STORE } from '@carillon/history-store';
import {
  errorText,
  HISTORY_HEALTH_SOURCE,
  optional,
  provider,
  RUNTIME,
  type RuntimeParts,
  type Token,
  token,
} from '@carillon/runtime';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { FaultDesk } from './fault-desk.js';
import { type HistoryCommits, MarkingCommits } from './hints/marking-commits.js';
import { StateHints } from './hints/state-hints.js';
import { historyHealth } from './history-health.js';
import { MessageReader, type MessageSource } from './message-reader.js';
import { openForApps } from './open-for-apps.js';
import { PresenceHistoryReader, type PresenceHistoryReaderParts } from './presence-reader.js';
import { ReadTurns } from './read-turns.js';
import { HistoryReader, type HistoryReaderOptions, type HistoryReads } from './reader.js';
import type { ShownAs } from './shown-rows.js';

/** Stream reads, from the store or through a writer. */
type StreamSource = HistoryReads & MessageSource & PresenceHistoryReaderParts['store'];

export const HISTORY_READER = token<HistoryReader>('history reader');
export const MESSAGE_READER = token<MessageReader>('message reader');
export const PRESENCE_HISTORY_READER = token<PresenceHistoryReader>('presence history reader');
/** Token of the source of stream reads. */
export const STREAM_READS = token<StreamSource>('stream reads');
/** Token of the `HistoryCommits` by which everything in the process commits. */
export const HISTORY_COMMITS = token<HistoryCommits>('history commits');

/** Token of the turns in which this process reads histories for clients. */
export const READ_TURNS = token<ReadTurns>('read turns');

const STATE_HINTS = token<StateHints>('state hints');
const STORE_OPENER = token<unknown>('store opener');
const FAULT_DESK = token<FaultDesk>('fault desk');

/** Tokens of the dependencies in other packages. */
export interface HistorySources {
  readonly reads: Token<StreamSource>;
  /** Commit client without the marking of lost states, which this module adds. */
  readonly commits: Token<HistoryCommits>;
}

/**
 * The histories of channels, for the whole process. Needs `RuntimeModule`, `CacheModule` and the modules of its
 * sources.
 */
@Global()
@Module({})
export class HistoryModule {
  static over({ reads, commits }: HistorySources): DynamicModule {
    const readerParts = {
      ...RUNTIME,
      store: reads,
      faults: FAULT_DESK,
      hints: STATE_HINTS,
      turns: READ_TURNS,
    };
    return {
      module: HistoryModule,
      providers: [
        { provide: STREAM_READS, useExisting: reads },
        provider(
          STATE_HINTS,
          { cache: CACHE },
          ({ cache }) => new StateHints({ cache, elapsed: () => performance.now() }),
        ),
        provider(READ_TURNS, RUNTIME, ({ config: { history } }) => readTurns(history)),
        provider(HISTORY_COMMITS, { ...RUNTIME, reads, commits, hints: STATE_HINTS }, commitsOf),
        provider(FAULT_DESK, { ...RUNTIME, commits: HISTORY_COMMITS }, faultsOf),
        provider(HISTORY_READER, readerParts, readerOf),
        provider(
          PRESENCE_HISTORY_READER,
          readerParts,
          (parts) => new PresenceHistoryReader(...readingOf(parts)),
        ),
        provider(MESSAGE_READER, { ...RUNTIME, store: reads, turns: READ_TURNS }, messageReaderOf),
        provider(STORE_OPENER, { apps: APP_REGISTRY, store: optional(HISTORY_STORE) }, ({ apps, store }) =>
          openForApps(apps, store),
        ),
        provider(HISTORY_HEALTH_SOURCE, RUNTIME, ({ config, metrics }) => historyHealth(config, metrics)),
      ],
      exports: [
        HISTORY_COMMITS,
        HISTORY_HEALTH_SOURCE,
        HISTORY_READER,
        MESSAGE_READER,
        PRESENCE_HISTORY_READER,
        READ_TURNS,
        STREAM_READS,
      ],
    };
  }
}

interface CommitsParts extends RuntimeParts {
  readonly reads: HistoryReads;
  readonly commits: HistoryCommits;
  readonly hints: StateHints;
}

function commitsOf({ logging, shutdown, reads, commits, hints }: CommitsParts): MarkingCommits {
  const log = logging.for('service::history');
  const onTrouble = (error: unknown): void =>
    log.warn('a mark of a stream waits', { error: errorText(error), retryable: true });
  const marking = new MarkingCommits({ commits, hints, reads, now: Date.now, onTrouble });
  shutdown.onShutdown('flush', 'marks of streams', () => marking.stop());
  return marking;
}

interface FaultParts extends RuntimeParts {
  readonly commits: HistoryCommits;
}

function faultsOf({ config, logging, commits }: FaultParts): FaultDesk {
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

interface ReaderParts extends RuntimeParts {
  readonly store: StreamSource;
  readonly faults: FaultDesk;
  readonly hints: StateHints;
  readonly turns: ReadTurns;
}

const readTurns = (history: Config['history']): ReadTurns =>
  new ReadTurns({
    atOnce: history.max_concurrent_reads,
    atOncePerApp: history.max_concurrent_reads_per_app,
  });

const readingOf = ({ config, store, faults, hints, turns }: ReaderParts) =>
  [{ store, now: Date.now, faults, hints, turns }, optionsOf(config)] as const;

function readerOf(parts: ReaderParts): HistoryReader {
  const [reading, options] = readingOf(parts);
  const shown = parts.metrics.counter('versioned_history_substitution_total');
  const onShown = (app_id: string, result: ShownAs): void => shown.for({ app_id, result }).add();
  return new HistoryReader({ ...reading, onShown }, options);
}

interface MessageReaderParts extends RuntimeParts {
  readonly store: MessageSource;
  readonly turns: ReadTurns;
}

const messageReaderOf = ({ config, store, turns }: MessageReaderParts): MessageReader => {
  const window = config.versioned_messages.retention_window_seconds;
  return new MessageReader(
    { store, now: Date.now, turns },
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
