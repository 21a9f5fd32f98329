import { DRIVER_FACTS } from '@carillon/config';
import 'reflect-metadata';
import { configure } from '@carillon/config';
import { createParts, RuntimeModule } from '@carillon/runtime';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BROKER, BROKER_DRIVERS, BrokerModule, openBroker, type Broker } from '../src/index.js';
import { event, Gateway } from './samples.js';

/** A process with this room in it, not started. */
async function processWith(env: Record<string, string>) {
  const outcome = configure({
    process: 'server',
    argv: [],
    env: { RUST_LOG: 'off', ...env },
    cwd: '/nowhere',
    files: { exists: () => false, read: () => '' },
  });
  if (outcome.kind === 'exit') throw new Error(outcome.stderr);
  const parts = createParts(outcome.config);

  @Module({ imports: [RuntimeModule.forProcess(parts), BrokerModule] })
  class Root {}

  const context = await NestFactory.createApplicationContext(Root, { logger: false });
  onTestFinished(() => context.close());
  return { parts, config: outcome.config, broker: context.get<Broker>(BROKER) };
}

describe('the module', () => {
  it('names the node for the process and checks its health', async () => {
    const { parts, broker } = await processWith({ INSTANCE_PROCESS_ID: 'gw-a' });
    expect(broker.nodeId).toMatch(/^gw-a-[0-9a-f]{8}$/);
    expect(await parts.health.check()).toEqual({ status: 'OK', failures: [] });
    await broker.close();
  });

  it('is not healthy once the broker is closed', async () => {
    const { parts, broker } = await processWith({});
    await broker.close();
    expect(await parts.health.check()).toEqual({
      status: 'ERROR',
      failures: [{ part: 'adapter', severity: 'critical', message: 'the broker is closed' }],
    });
  });

  it('survives what a listener throws', async () => {
    const { broker } = await processWith({});
    const gateway = new Gateway(broker);
    gateway.before = () => {
      throw new Error('a bug of the listener');
    };
    await broker.publish(event('orders'));
    expect(await broker.ask('sockets_count', 'shop', null)).toMatchObject({ complete: false });
  });

  it('knows the drivers of this build, and no others', async () => {
    const { parts, config } = await processWith({
      REDIS_CLUSTER_NODES: 'localhost:1',
      OMQ_BIND_ENDPOINT: 'tcp://127.0.0.1:*',
      PUBSUB_EMULATOR_HOST: '127.0.0.1:1',
    });
    const options = { ...parts, log: parts.logging.for('test'), onFault: () => {} };
    const withDriver = (driver: string) => ({
      ...options,
      config: { ...config, adapter: { ...config.adapter, driver: driver as 'local' } },
    });
    expect([...BROKER_DRIVERS].sort()).toEqual(Object.keys(DRIVER_FACTS['adapter.driver'] ?? {}).sort());
    for (const driver of BROKER_DRIVERS) {
      const broker = await openBroker(withDriver(driver));
      await broker.close();
    }
    await expect(openBroker(withDriver('toString'))).rejects.toThrow('is not available in this build');
  });
});
