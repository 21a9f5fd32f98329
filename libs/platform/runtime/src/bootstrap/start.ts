import { openTelemetry } from '@carillon/tracing';
import { nativeBinary, NativeWebSocketAdapter, UwsModule } from '@carillon/uws';
import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { CustomTransportStrategy } from '@nestjs/microservices';
import 'reflect-metadata';
import { connectDependencies } from '../dependencies/connect-dependencies.js';
import { NestLogBridge } from '../logging/nest-log-bridge.js';
import { reloadOnSignal } from '../reload/reloads.js';
import { RuntimeModule, type RuntimeParts } from '../runtime-module.js';
import { stopOnSignals } from '../shutdown/shutdown.js';
import { supervisorLink } from '../workers/supervisor-link.js';
import type { AppDefinition } from './app-definition.js';
import { addressText, openMainListener } from './main-listener.js';
import { openMetrics } from './open-metrics.js';

/**
 * Starts a process from a valid configuration. Rejects if a required dependency is missing; a stop signal meanwhile
 * aborts the attempt and runs the stop.
 */
export async function start(parts: RuntimeParts, definition: AppDefinition, version: string): Promise<void> {
  const { config, logging, admission, shutdown, startup } = parts;
  const log = logging.for('service::ops');
  const stopping = new AbortController();
  shutdown.onShutdown('drain', 'start', () => stopping.abort());
  stopOnSignals(shutdown);
  reloadOnSignal(parts.reloads);
  const { faults, ...binary } = nativeBinary();
  log.info('starting', {
    process: definition.process,
    version,
    node_id: config.instance.process_id,
    ...binary,
  });
  for (const fault of faults) log.warn(fault);
  await startTelemetry(parts, version);
  const scrape = await openMetrics(parts, version);
  admission.start();
  const link = supervisorLink();
  const listener = await openMainListener(parts, {
    listensLate: link?.kind === 'replacement',
    sharesPort: link !== null,
    probesWait: link?.kind === 'first',
  });
  link?.follow(parts, listener);
  const app = await NestFactory.create(rootModule(parts, definition), listener.adapter, {
    logger: new NestLogBridge(logging),
    abortOnError: false,
  });
  app.useWebSocketAdapter(new NativeWebSocketAdapter());
  for (const token of definition.transports?.(config) ?? []) {
    app.connectMicroservice({ strategy: app.get<CustomTransportStrategy>(token) });
  }
  await app.init();
  await app.startAllMicroservices();
  closeModulesLast(parts, app);
  await connectDependencies(startup.dependencies, {
    startup_timeout_ms: config.startup_timeout_ms,
    log,
    signal: stopping.signal,
  });
  shutdown.onShutdown('drain', 'health checks', parts.health.follow());
  if (!parts.process.advance('RUNNING')) return;
  const address = await listener.open();
  log.info('ready', {
    listening: addressText(config, address),
    ...(scrape?.port === undefined || scrape.port === null
      ? {}
      : { metrics: `http://${config.metrics.host}:${scrape.port}/metrics` }),
  });
  link?.ready();
}

/** Trouble with a collector never stops a start. */
async function startTelemetry(parts: RuntimeParts, version: string): Promise<void> {
  const { config, logging, metrics, shutdown } = parts;
  const log = logging.for('service::telemetry');
  const telemetry = await openTelemetry({
    config: config.opentelemetry,
    nodeId: config.instance.process_id,
    version,
    messagesToo: logging.for('service::gateway').enabled('debug'),
    samples: () => metrics.samples(),
    warn: (text) => log.warn('telemetry is not delivered', { error: text, retryable: true }),
  });
  if (telemetry === null) return;
  logging.alsoTo = telemetry.line;
  shutdown.onShutdown('disconnect', 'telemetry', () => telemetry.close());
}

function rootModule(parts: RuntimeParts, definition: AppDefinition): new () => object {
  @Module({ imports: [RuntimeModule.forProcess(parts), UwsModule, ...definition.modules(parts.config)] })
  class Root {}
  return Root;
}

/** Providers with a Nest shutdown hook are closed last. */
function closeModulesLast({ shutdown }: RuntimeParts, app: INestApplicationContext): void {
  shutdown.onShutdown('disconnect', 'modules', () => app.close());
}
