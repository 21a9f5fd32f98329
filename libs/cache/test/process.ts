import 'reflect-metadata';
import { connectDependencies, createParts, RuntimeModule, type RuntimeParts } from '@carillon/runtime';
import { configuration } from '@carillon/testing';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CACHE, CacheModule, type Cache } from '../src/index.js';

/** A process with this room in it, not started. */
export async function processWith(env: Record<string, string>, file = '') {
  const parts = createParts(configuration(env, file));

  @Module({ imports: [RuntimeModule.forProcess(parts), CacheModule] })
  class Root {}

  const context = await NestFactory.createApplicationContext(Root, { logger: false });
  return { parts, cache: context.get<Cache>(CACHE), close: () => context.close() };
}

/** Connects dependencies as the start does. */
export const connect = ({ startup, logging }: RuntimeParts, startupTimeoutMs = 1000) =>
  connectDependencies(startup.dependencies, {
    startup_timeout_ms: startupTimeoutMs,
    log: logging.for('service::ops'),
  });
