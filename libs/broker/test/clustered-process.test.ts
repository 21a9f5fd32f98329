import 'reflect-metadata';
import { engine } from '@carillon/test-backends';
import { createParts, RuntimeModule } from '@carillon/runtime';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { BROKER, BrokerModule, type Broker } from '../src/index.js';
import { event, Gateway } from './samples.js';
import { configured } from './settings.js';

const SOON = { timeout: 20_000 };

/** A process with this room in it. */
async function processWith(env: Record<string, string>) {
  const parts = createParts(configured(env));

  @Module({ imports: [RuntimeModule.forProcess(parts), BrokerModule] })
  class Root {}

  const context = await NestFactory.createApplicationContext(Root, { logger: false });
  const broker = context.get<Broker>(BROKER);
  onTestFinished(async () => {
    await broker.close();
    await context.close();
  });
  return { parts, broker };
}

async function environmentFor(driver: string): Promise<Record<string, string>> {
  const { url, name } = await (await engine(driver)).isolate();
  const of: Record<string, Record<string, string>> = {
    iggy: { IGGY_CONNECTION_STRING: url, IGGY_TOPIC_PREFIX: name },
    kafka: { KAFKA_BROKERS: url.replace('kafka://', ''), KAFKA_PREFIX: name },
    nats: { NATS_SERVERS: url, NATS_PREFIX: name },
    pulsar: { PULSAR_URL: url, PULSAR_PREFIX: name },
    rabbitmq: { RABBITMQ_URL: url, RABBITMQ_PREFIX: name },
    redis: { REDIS_URL: url },
    'redis-cluster': { REDIS_CLUSTER_NODES: url },
  };
  return { ADAPTER_DRIVER: driver, ...of[driver] };
}

describe.each(['iggy', 'kafka', 'nats', 'pulsar', 'rabbitmq', 'redis', 'redis-cluster'])(
  'processes with driver %s',
  (driver) => {
    it('start with the broker, reach each other, and count what they do', async () => {
      const env = await environmentFor(driver);
      const [one, two] = [await processWith(env), await processWith(env)];
      const [sender, receiver] = [new Gateway(one.broker), new Gateway(two.broker)];
      for (const { parts } of [one, two]) {
        for (const { name, connect } of parts.startup.dependencies) {
          expect(name).toBe('adapter');
          // As the start does, which tries again.
          await vi.waitFor(async () => connect(new AbortController().signal), SOON);
        }
        expect(await parts.health.check()).toEqual({ status: 'OK', failures: [] });
      }
      const channel = `orders-${Math.random()}`;
      await two.broker.subscribe('shop', channel);
      await one.broker.publish(event(channel));
      await vi.waitFor(() => expect(receiver.received).toHaveLength(1), { timeout: 10_000 });
      expect(sender.received).toHaveLength(1);
      await one.broker.ask('sockets_count', 'shop', null);

      const [sent, received] = [await one.parts.metrics.text(), await two.parts.metrics.text()];
      const label = `{driver="${driver}"}`;
      expect(sent).toContain(`service_horizontal_broadcast_published_total${label} 1`);
      expect(received).toContain(`service_horizontal_broadcast_received_total${label} 1`);
      expect(received).toContain(`service_horizontal_broadcast_unneeded_total${label} 0`);
      // These brokers have no interest per channel.
      const channels = ['iggy', 'kafka', 'pulsar', 'rabbitmq'].includes(driver) ? 0 : 1;
      expect(received).toContain(`service_horizontal_interest_channels${label} ${channels}`);
      expect(received).toContain(`service_horizontal_transport_messages_dropped_total${label} 0`);
      // A heartbeat may be under way just now.
      expect(sent).toMatch(new RegExp(`service_horizontal_transport_queue_depth\\${label} [01]`));
      expect(sent).toMatch(/service_horizontal_adapter_resolved_promises\{app_id="shop",port="\d+"\} 1/);
      expect(sent).toMatch(/service_cluster_nodes [2-9]/);
      expect(sent).not.toContain(channel);
    }, 120_000);
  },
);

describe('a process whose broker cannot be reached', () => {
  const env = {
    ADAPTER_DRIVER: 'nats',
    NATS_SERVERS: 'nats://127.0.0.1:1',
    STARTUP_TIMEOUT_MS: '300',
  };

  it('does not connect, and says why', async () => {
    const { parts } = await processWith(env);
    const [dependency] = parts.startup.dependencies;
    await expect(dependency?.connect(new AbortController().signal)).rejects.toThrow(
      'not connected: connect ECONNREFUSED 127.0.0.1:1',
    );
  });

  it('goes on alone where that is allowed', async () => {
    const { parts, broker } = await processWith({ ...env, ADAPTER_FALLBACK_TO_LOCAL: 'true' });
    const gateway = new Gateway(broker);
    expect(broker.publish(event('orders'))).toBeUndefined();
    expect(gateway.received).toHaveLength(1);
    expect(await parts.health.check()).toEqual({ status: 'OK', failures: [] });
  });
});
