import 'reflect-metadata';
import { configure } from '@carillon/config';
import { BrokerModule } from '@carillon/broker';
import { HISTORY_STORE, type HistoryStore, MemoryHistoryStore } from '@carillon/history-store';
import { createParts, RuntimeModule } from '@carillon/runtime';
import { type DynamicModule, Global, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { onTestFinished } from 'vitest';

/** Makes a store known to the whole process. */
@Global()
@Module({})
class Stored {
  static in(store: HistoryStore): DynamicModule {
    return {
      module: Stored,
      providers: [{ provide: HISTORY_STORE, useValue: store }],
      exports: [HISTORY_STORE],
    };
  }
}

/** A process with these rooms in it; with a store where one is given. */
export async function processWith(
  env: Record<string, string>,
  modules: readonly Type[],
  store?: MemoryHistoryStore,
) {
  const outcome = configure({
    process: 'server',
    argv: [],
    env: {
      RUST_LOG: 'off',
      HEALTH_CHECK_CACHE_MS: '0',
      CACHE_DRIVER: 'redis',
      ENVIRONMENT: 'development',
      ...env,
    },
    cwd: '/nowhere',
    files: { exists: () => false, read: () => '' },
  });
  if (outcome.kind === 'exit') throw new Error(outcome.stderr);
  const parts = createParts(outcome.config);
  const imports = [
    RuntimeModule.forProcess(parts),
    BrokerModule,
    ...(store === undefined ? [] : [Stored.in(store)]),
    ...modules,
  ];

  @Module({ imports })
  class Root {}

  const context = await NestFactory.createApplicationContext(Root, { logger: false, abortOnError: false });
  onTestFinished(async () => {
    await parts.shutdown.close();
    await context.close();
  });
  const signal = new AbortController().signal;
  return {
    parts,
    get: context.get.bind(context),
    /** Connects all that the process needs; adapters first, as it comes to with retries. */
    start: async (): Promise<void> => {
      for (const { connect } of parts.startup.dependencies) await connect(signal);
    },
  };
}

export const memory = (): MemoryHistoryStore => new MemoryHistoryStore();
