import type { CommitRecord } from '@carillon/contract';
import type { Config } from '@carillon/config';
import type { StreamAddress } from '@carillon/history-store';
import { CONFIG, HISTORY_HEALTH_SOURCE, LOGGING, type Logging, METRICS_REGISTRY } from '@carillon/runtime';
import { type DynamicModule, Global, type InjectionToken, Module } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { historyHealth } from './history-health.js';
import { PresenceHistoryReader, type PresenceHistoryReaderParts } from './presence-reader.js';
import { HistoryReader, type HistoryReaderOptions, type HistoryReads } from './reader.js';

type PresenceReads = PresenceHistoryReaderParts['store'];

/** Token of the `HistoryReader`. */
export const HISTORY_READER = Symbol('history reader');
/** Token of the `PresenceHistoryReader`. */
export const PRESENCE_HISTORY_READER = Symbol('presence history reader');
/** Token of what they read: the store, or a writer that has it. */
export const STREAM_READS = Symbol('stream reads');

/** Takes claims about streams to whoever judges them. */
export interface Claims {
  commit(records: readonly CommitRecord[]): Promise<unknown>;
}

/** Where this process gets what it needs, by the tokens of other rooms. */
export interface HistorySources {
  readonly reads: InjectionToken;
  readonly claims: InjectionToken;
}

/** Reading the histories of channels, for the whole process. Needs `RuntimeModule` and the modules of its sources. */
@Global()
@Module({})
export class HistoryModule {
  static over({ reads, claims }: HistorySources): DynamicModule {
    return {
      module: HistoryModule,
      providers: [
        { provide: STREAM_READS, useExisting: reads },
        { provide: HISTORY_READER, inject: [CONFIG, LOGGING, reads, claims], useFactory: readerOf },
        { provide: PRESENCE_HISTORY_READER, inject: [CONFIG, reads], useFactory: presenceReaderOf },
        { provide: HISTORY_HEALTH_SOURCE, inject: [CONFIG, METRICS_REGISTRY], useFactory: historyHealth },
      ],
      exports: [HISTORY_HEALTH_SOURCE, HISTORY_READER, PRESENCE_HISTORY_READER, STREAM_READS],
    };
  }
}

function readerOf(config: Config, logging: Logging, store: HistoryReads, claims: Claims): HistoryReader {
  const log = logging.for('service::history');
  const unreadable = ({ appId: app_id, channel, kind: stream }: StreamAddress): void => {
    log.error('a row of a history cannot be read', { app_id, channel });
    const claim: CommitRecord = {
      op: 'mark',
      pub_id: randomUUID(),
      app_id,
      channel,
      stream,
      state: 'degraded',
      reason: 'history_row_unreadable',
      node_id: config.instance.process_id,
    };
    claims.commit([claim]).catch((error: unknown) => log.warn('claim about a stream lost', { error }));
  };
  return new HistoryReader({ store, now: Date.now, unreadable }, optionsOf(config));
}

const presenceReaderOf = (config: Config, store: PresenceReads): PresenceHistoryReader =>
  new PresenceHistoryReader({ store, now: Date.now }, optionsOf(config));

function optionsOf({ history }: Config): HistoryReaderOptions {
  const { backend } = history;
  return {
    timeoutMs: history[backend === 'memory' ? 'postgres' : backend].write_timeout_ms,
    source: backend === 'memory' ? 'in_memory' : 'durable_store',
  };
}
