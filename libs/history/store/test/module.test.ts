import 'reflect-metadata';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configure } from '@carillon/config';
import { connectDependencies, createParts, RuntimeModule } from '@carillon/runtime';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type DurableStore, HISTORY_STORE, HistoryStoreModule, PurgeModule } from '../src/index.js';
import { addressOf, append, corner, headOf, settings } from './scene.js';

/** An embedded database is made and opened in some seconds where a processor is free, and in ten times that on a busy machine. */
const OPENING_MS = 180_000;

/** A process with the module in it, not connected yet. */
async function processWith(env: Record<string, string>, json: unknown = {}) {
  const outcome = configure({
    process: 'server',
    argv: [],
    env: { RUST_LOG: 'off', HEALTH_CHECK_CACHE_MS: '0', ...env },
    cwd: '/nowhere',
    files: {
      exists: (path) => path === '/nowhere/config/config.json',
      read: () => JSON.stringify(json),
    },
  });
  if (outcome.kind === 'exit') throw new Error(outcome.stderr);
  const parts = createParts(outcome.config);

  @Module({ imports: [RuntimeModule.forProcess(parts), HistoryStoreModule, PurgeModule] })
  class Root {}

  const context = await NestFactory.createApplicationContext(Root, { logger: false });
  onTestFinished(async () => {
    await parts.shutdown.close();
    await context.close();
  });
  const start = (startup_timeout_ms = 20_000) =>
    connectDependencies(parts.startup.dependencies, {
      startup_timeout_ms,
      log: parts.logging.for('service::ops'),
    });
  return { parts, start, store: context.get<DurableStore>(HISTORY_STORE) };
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'embedded-module-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

describe('the history store of a process', () => {
  it('is in memory when that is asked for', async () => {
    const { store, start } = await processWith({ HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'memory' });
    await start();
    await append(store, addressOf('a'), [{}]);
    expect(await headOf(store, addressOf('a'))).toMatchObject({ nextDeliverySerial: 2 });
  });

  it('is in the PostgreSQL that has a host, and is purged', async () => {
    const { url, end } = await corner();
    onTestFinished(end);
    const { store, start, parts } = await processWith({
      ENVIRONMENT: 'development',
      HISTORY_ENABLED: 'true',
      ...settings('postgres', url),
    });
    await start();
    await append(store, addressOf('a'), [{}]);
    expect(await headOf(store, addressOf('a'))).toMatchObject({ nextDeliverySerial: 2 });
    expect(await parts.health.check()).toEqual({ status: 'OK', failures: [] });
  });

  it('is not in a PostgreSQL that may lose what it has committed, in production', async () => {
    const { url, end } = await corner();
    onTestFinished(end);
    const { start } = await processWith({ HISTORY_ENABLED: 'true', ...settings('postgres', url) });
    await expect(start()).rejects.toThrow(/history store .*fsync is off/);
  });

  it(
    'is in an embedded PostgreSQL on the defaults',
    async () => {
      const folder = await newFolder();
      const { store, start } = await processWith({
        HISTORY_ENABLED: 'true',
        DATABASE_POSTGRES_EMBEDDED_PATH: join(folder, 'deep', 'data'),
      });
      await start(OPENING_MS);
      await append(store, addressOf('a'), [{}]);
      expect(await headOf(store, addressOf('a'))).toMatchObject({ nextDeliverySerial: 2 });
    },
    OPENING_MS,
  );

  it('ends the start at once over a folder that must not be touched', async () => {
    const folder = await newFolder();
    await writeFile(join(folder, 'notes.txt'), 'mine');
    const { start } = await processWith({
      HISTORY_ENABLED: 'true',
      DATABASE_POSTGRES_EMBEDDED_PATH: folder,
    });
    await expect(start(60_000)).rejects.toThrow(/history store .*is not empty/);
  }, 30_000);

  it(
    'is opened by its first use when no app has to have one',
    async () => {
      const folder = await newFolder();
      const { store, start, parts } = await processWith({ DATABASE_POSTGRES_EMBEDDED_PATH: folder });
      await start();
      expect(await parts.health.check()).toEqual({ status: 'OK', failures: [] });
      await expect(store.heads([])).rejects.toMatchObject({ name: 'StoreFailure', transient: true });
      await vi.waitFor(() => store.heads([]), { timeout: OPENING_MS, interval: 200 });
      await append(store, addressOf('a'), [{}]);
    },
    OPENING_MS,
  );

  it('is there from the start when one app keeps its history', async () => {
    const app = { id: 'shop', key: 'k', secret: 's', policy: { history: { enabled: true } } };
    const json = { app_manager: { array: { apps: [app] } } };
    const { store, start } = await processWith({ HISTORY_BACKEND: 'memory' }, json);
    await start();
    expect((await store.heads([addressOf('a')])).size).toBe(0);
  });

  it('is in memory for presence alone', async () => {
    const { store, start } = await processWith({ PRESENCE_HISTORY_ENABLED: 'true' });
    await start();
    expect((await store.heads([addressOf('presence-a', 'presence')])).size).toBe(0);
  });
});
