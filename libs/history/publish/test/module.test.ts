import 'reflect-metadata';
import { CacheModule } from '@carillon/cache';
import { BROKER, BrokerModule, type Broker, type LiveEvent } from '@carillon/broker';
import { createParts, RuntimeModule } from '@carillon/runtime';
import { configuration } from '@carillon/testing';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LAST_EVENTS, PUBLISHER, PublishingModule, type LastEvents, type Publisher } from '../src/index.js';
import { last } from './scene.js';

/** A process with this room in it, not started. */
async function processWith(env: Record<string, string>) {
  const modules = [BrokerModule, CacheModule, PublishingModule];

  @Module({ imports: [RuntimeModule.forProcess(createParts(configuration(env))), ...modules] })
  class Root {}

  const context = await NestFactory.createApplicationContext(Root, { logger: false });
  onTestFinished(() => context.close());
  return {
    broker: context.get<Broker>(BROKER),
    publisher: context.get<Publisher>(PUBLISHER),
    lastEvents: context.get<LastEvents>(LAST_EVENTS),
  };
}

describe('the module', () => {
  it('publishes over the broker of the process and keeps last events in its cache', async () => {
    const { broker, publisher, lastEvents } = await processWith({});
    const delivered: LiveEvent[] = [];
    broker.listen({ deliver: (event) => void delivered.push(event), answer: () => expect.unreachable() });
    const { messageId } = await publisher.publish(last('tick'));
    expect(delivered.map((event) => event.eventId)).toEqual([messageId]);
    const kept = await lastEvents.read('shop', 'cache-prices');
    expect(kept).toMatchObject({ messageId, channel: 'cache-prices', dataText: '"{}"' });
    expect(kept?.ttlMs).toBeGreaterThan(3_500_000);
    expect(kept?.ttlMs).toBeLessThanOrEqual(3_600_000);
  });

  it('keeps last events for the seconds that are configured', async () => {
    const { publisher, lastEvents } = await processWith({ CACHE_TTL_SECONDS: '7' });
    await publisher.publish(last('m1'));
    const kept = await lastEvents.read('shop', 'cache-prices');
    expect(kept?.ttlMs).toBeGreaterThan(0);
    expect(kept?.ttlMs).toBeLessThanOrEqual(7000);
  });
});
