import { DRIVER_FACTS } from '@carillon/config';
import 'reflect-metadata';
import { Databases } from '@carillon/database';
import { connectDependencies, createParts, RuntimeModule, type RuntimeParts } from '@carillon/runtime';
import { configuration } from '@carillon/testing';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { describe, expect, it } from 'vitest';
import {
  APP_MANAGER_DRIVERS,
  APP_REGISTRY,
  type AppRegistry,
  AppRegistryModule,
  openAppStore,
} from '../src/index.js';
import { optionsOf } from '../src/process-options.js';
import { record } from './samples.js';

const APP = {
  SERVICE_DEFAULT_APP_ID: 'a',
  SERVICE_DEFAULT_APP_KEY: 'a-key',
  SERVICE_DEFAULT_APP_SECRET: 'a-secret',
};

/** The configuration of this environment, everything else at its default. */
const configured = configuration;

/** A process with this room in it, not started. */
async function processWith(env: Record<string, string>) {
  const parts = createParts(configured(env));

  @Module({ imports: [RuntimeModule.forProcess(parts), AppRegistryModule] })
  class Root {}

  const context = await NestFactory.createApplicationContext(Root, { logger: false });
  return { parts, registry: context.get<AppRegistry>(APP_REGISTRY), close: () => context.close() };
}

const connect = ({ startup, logging }: RuntimeParts) =>
  connectDependencies(startup.dependencies, { startup_timeout_ms: 1000, log: logging.for('service::ops') });

describe('the module', () => {
  it('keeps an app for one second where no change is announced: in workers, writers and api nodes', () => {
    const role = { ADAPTER_DRIVER: 'nats', CACHE_DRIVER: 'redis' };
    const node = configured(role);
    const api = configured({ ...role, SERVICE_SERVER_ROLE: 'api' });
    const told = [optionsOf(node, true), optionsOf(api, true), optionsOf(node, false)];
    expect(told.map(({ maxIndexAgeSeconds }) => maxIndexAgeSeconds)).toEqual([undefined, 1, 1]);
  });

  it('connects the configured store with the process, checks its health and shows its apps at 0', async () => {
    const { parts, registry, close } = await processWith(APP);
    parts.metrics.counter('new_connections_total');
    await connect(parts);
    expect(registry.peekByKey('a-key')?.id).toBe('a');
    expect(await parts.health.check()).toMatchObject({ status: 'OK' });
    expect(await parts.metrics.text()).toContain('service_new_connections_total{app_id="a",port="6001"} 0');
    await registry.create(record('b'));
    expect(await parts.metrics.text()).toContain('service_new_connections_total{app_id="b",port="6001"} 0');
    await close();
  });

  it('is not healthy without any app', async () => {
    const { parts, close } = await processWith({});
    await connect(parts);
    expect(await parts.health.check()).toMatchObject({ status: 'ERROR' });
    await close();
  });

  it('knows the drivers of this build, and no others', async () => {
    const { parts, close } = await processWith({});
    const sources = { config: parts.config, databases: new Databases(parts) };
    expect([...APP_MANAGER_DRIVERS].sort()).toEqual(
      Object.keys(DRIVER_FACTS['app_manager.driver'] ?? {}).sort(),
    );
    for (const driver of APP_MANAGER_DRIVERS)
      await expect(openAppStore(driver, sources)).resolves.toBeDefined();
    await expect(openAppStore('memory')).resolves.toBeDefined();
    await expect(openAppStore('mysql')).rejects.toThrow('driver mysql needs a database');
    for (const unknown of ['toString', 'redis']) {
      const refused = `driver ${unknown} is not available in this build`;
      await expect(openAppStore(unknown, sources)).rejects.toThrow(refused);
    }
    await close();
  });
});
