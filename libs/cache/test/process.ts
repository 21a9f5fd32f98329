import 'reflect-metadata';
import { configure } from '@carillon/config';
import { connectDependencies, createParts, RuntimeModule, type RuntimeParts } from '@carillon/runtime';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CACHE, CacheModule, type Cache } from '../src/index.js';

/** The configuration that the environment and a file make. */
export function configOf(env: Record<string, string>, file = '') {
  const outcome = configure({
    process: 'server',
    argv: [],
    env: { RUST_LOG: 'off', ...env },
    cwd: '/nowhere',
    files: { exists: (path) => path.endsWith('.toml'), read: () => file },
  });
  if (outcome.kind === 'exit') throw new Error(outcome.stderr);
  return outcome.config;
}

/** A process with this room in it, not started. */
export async function processWith(env: Record<string, string>, file = '') {
  const parts = createParts(configOf(env, file));

  @Module({ imports: [RuntimeModule.forProcess(parts), CacheModule] })
  class Root {}

  const context = await NestFactory.createApplicationContext(Root, { logger: false });
  return { parts, cache: context.get<Cache>(CACHE), close: () => context.close() };
}

/** What the start does with dependencies. */
export const connect = ({ startup, logging }: RuntimeParts, startupTimeoutMs = 1000) =>
  connectDependencies(startup.dependencies, {
    startup_timeout_ms: startupTimeoutMs,
    log: logging.for('service::ops'),
  });
