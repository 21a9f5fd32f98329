import 'reflect-metadata';
import { connectDependencies, createParts, RuntimeModule, type RuntimeParts } from '@carillon/runtime';
import { configuration } from '@carillon/testing';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { RATE_LIMIT, RateLimitModule, type RateLimit } from '../src/index.js';

/** A process with this room in it, not started. */
export async function processWith(env: Record<string, string>) {
  const parts = createParts(configuration(env));

  @Module({ imports: [RuntimeModule.forProcess(parts), RateLimitModule] })
  class Root {}

  const context = await NestFactory.createApplicationContext(Root, { logger: false });
  return { parts, rateLimit: context.get<RateLimit>(RATE_LIMIT), close: () => context.close() };
}

/** Connects dependencies as the start does. */
export const connect = ({ startup, logging }: RuntimeParts, startupTimeoutMs = 1000) =>
  connectDependencies(startup.dependencies, {
    startup_timeout_ms: startupTimeoutMs,
    log: logging.for('service::ops'),
  });
