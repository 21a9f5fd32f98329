import 'reflect-metadata';
import { configure } from '@carillon/config';
import { engine } from '@carillon/test-backends';
import { connectDependencies, createParts, RuntimeModule, type RuntimeParts } from '@carillon/runtime';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { onTestFinished } from 'vitest';
import {
  type Database,
  DATABASES,
  DatabaseModule,
  type Databases,
  type SqlDialect,
  type Tables,
} from '../src/index.js';

/** Every engine that a dialect is tested on. */
export const ENGINES = [
  ['postgres', 'postgres'],
  ['mysql', 'mariadb'],
] as const satisfies readonly (readonly [SqlDialect, string])[];

/** The settings that lead to a database. */
export function settings(dialect: SqlDialect, url: string, more: Record<string, string> = {}) {
  const { hostname, port, username, password, pathname } = new URL(url);
  const prefix = `DATABASE_${dialect.toUpperCase()}`;
  return {
    [`${prefix}_HOST`]: hostname,
    [`${prefix}_PORT`]: port,
    [`${prefix}_USERNAME`]: username,
    [`${prefix}_PASSWORD`]: password,
    [`${prefix}_DATABASE`]: pathname.slice(1),
    ...more,
  };
}

export interface Scene {
  readonly parts: RuntimeParts;
  readonly databases: Databases;
  /** Runs the stop of the runtime. */
  readonly close: () => Promise<void>;
}

/** A process with this room in it, not started. */
export async function processWith(env: Record<string, string>): Promise<Scene> {
  const outcome = configure({
    process: 'server',
    argv: [],
    env: { RUST_LOG: 'off', HEALTH_CHECK_CACHE_MS: '0', ...env },
    cwd: '/nowhere',
    files: { exists: () => false, read: () => '' },
  });
  if (outcome.kind === 'exit') throw new Error(outcome.stderr);
  const parts = createParts(outcome.config);

  @Module({ imports: [RuntimeModule.forProcess(parts), DatabaseModule] })
  class Root {}

  const context = await NestFactory.createApplicationContext(Root, { logger: false });
  return { parts, databases: context.get<Databases>(DATABASES), close: () => context.close() };
}

/** Connects dependencies as the start does. */
export const start = ({ startup, logging }: RuntimeParts, startupTimeoutMs = 20_000) =>
  connectDependencies(startup.dependencies, {
    startup_timeout_ms: startupTimeoutMs,
    log: logging.for('service::ops'),
  });

/** An empty database of its own on a shared engine. */
export async function emptyDatabase(engineName: string): Promise<string> {
  const { url, end } = await (await engine(engineName)).isolate();
  onTestFinished(end);
  return url;
}

/** A connected database; closed before its schema is released. */
export async function connected(
  dialect: SqlDialect,
  url: string,
  tables: readonly Tables[] = [],
  more: Record<string, string> = {},
): Promise<Database> {
  const { databases } = await processWith(settings(dialect, url, more));
  const database = databases.use(dialect, tables);
  onTestFinished(() => database.close());
  await database.connect();
  return database;
}

/** A dialect's own way to write the first placeholders. */
export const placeholders = (dialect: SqlDialect, count: number): string =>
  Array.from({ length: count }, (_, index) => (dialect === 'postgres' ? `$${index + 1}` : '?')).join(', ');

/** Returns the rejection of a promise. */
export const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => {
      throw new Error('it did not fail');
    },
    (thrown: unknown) => thrown,
  );
