import 'reflect-metadata';
import { engine } from '@carillon/test-backends';
import type { Config } from '@carillon/config';
import { createLogging, createParts, RuntimeModule, Shutdown } from '@carillon/runtime';
import { Inject, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  CHANNEL_COUNTS,
  CONNECTION_QUOTA,
  PRESENCE,
  PresenceModule,
  type ChannelCounts,
  type ConnectionQuota,
  type Presence,
} from '../src/index.js';
import { configuration } from '@carillon/testing';
import { as, brief, LOBBY } from './samples.js';

@Injectable()
class Room {
  constructor(
    @Inject(PRESENCE) readonly presence: Presence,
    @Inject(CHANNEL_COUNTS) readonly channelCounts: ChannelCounts,
    @Inject(CONNECTION_QUOTA) readonly connectionQuota: ConnectionQuota,
  ) {}
}

/** A process with this room in it, not started, whose log lines and exits are written down. */
async function processWith(config: Config = configuration()) {
  const lines: string[] = [];
  const exits: number[] = [];
  const parts = createParts(config);
  const logging = createLogging(
    { debug: false, colors_enabled: false, include_target: true, format: 'json', filter: 'error' },
    { terminal: false, destination: { write: (line) => lines.push(line) } },
  );
  const shutdown = new Shutdown(
    { shutdown_grace_period: 0, drain: {}, queue_shutdown_timeout_ms: 1000, server_role: 'default' },
    {
      process: parts.process,
      metrics: parts.metrics,
      log: logging.for('service::ops'),
      flushLog: () => {},
      exit: (code) => exits.push(code),
    },
  );

  @Module({
    imports: [RuntimeModule.forProcess({ ...parts, logging, shutdown }), PresenceModule],
    providers: [Room],
  })
  class Root {}

  const context = await NestFactory.createApplicationContext(Root, { logger: false, abortOnError: false });
  const { presence, channelCounts, connectionQuota } = context.get(Room);
  const { startup, health } = parts;
  const close = () => context.close();
  return { presence, channelCounts, connectionQuota, startup, health, shutdown, lines, exits, close };
}

describe('the module', () => {
  it('offers presence to every room, in the memory of a process that is alone', async () => {
    const { presence, close } = await processWith();
    await presence.join(as('ada', '1.1'), Infinity);
    expect(await presence.members(LOBBY)).toMatchObject([{ userId: 'ada' }]);
    expect(await presence.health()).toBeNull();
    await close();
  });

  it('logs what its observer could not handle, and goes on', async () => {
    const { presence, lines, close } = await processWith();
    presence.observe(() => {
      throw new Error('broken');
    });
    expect(await presence.join(as('ada', '1.1'), Infinity)).toMatchObject({ kind: 'joined' });
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      {
        level: 'ERROR',
        target: 'service::presence',
        fields: { message: 'a presence change was not handled', kind: 'added', app_id: 'shop' },
      },
    ]);
    expect(lines[0]).toContain('broken');
    await close();
  });

  it('is there while sockets leave and work is finished at a stop, and closed after that', async () => {
    const { presence, shutdown, exits, close } = await processWith();
    const healthIn: Record<string, string | null> = {};
    for (const phase of ['membership', 'flush', 'disconnect'] as const) {
      shutdown.onShutdown(phase, 'the test', async () => {
        healthIn[phase] = await presence.health();
      });
    }
    await shutdown.stop('the test');
    expect(healthIn).toEqual({ membership: null, flush: null, disconnect: 'presence is closed' });
    expect(exits).toEqual([0]);
    await close();
  });

  it('refuses to be alone where other processes share the load, and there is no store to share', async () => {
    const config = configuration();
    const shared = { ...config, adapter: { ...config.adapter, driver: 'nats' as const } };
    await expect(processWith(shared)).rejects.toThrow(
      'presence over adapter.driver=nats requires cache.driver=redis or redis-cluster',
    );
  });

  it.each(['redis', 'redis-cluster'] as const)('shares the store of the cache: %s', async (driver) => {
    const { url } = await engine(driver);
    const config = configuration({
      ENVIRONMENT: 'development',
      ADAPTER_DRIVER: 'nats',
      CACHE_DRIVER: driver,
      ...(driver === 'redis' ? { REDIS_URL: url } : { REDIS_CLUSTER_NODES: url }),
      DATABASE_REDIS_KEY_PREFIX: `t-${randomUUID()}:`,
    });
    const processes = [await processWith(config), await processWith(config)] as const;
    const [one, other] = processes;
    const told: string[] = [];
    for (const { presence, startup } of processes) {
      presence.observe((change) => told.push(brief(change)));
      for (const { connect } of startup.dependencies) await connect(new AbortController().signal);
    }
    await one.presence.join(as('ada', '1.1'), Infinity);
    await other.presence.join(as('bo', '2.1'), Infinity);
    expect(await one.presence.members(LOBBY)).toMatchObject([{ userId: 'ada' }, { userId: 'bo' }]);
    expect(await one.channelCounts.set('shop', 'news', 2)).toBe(2);
    expect(await other.channelCounts.counts('shop', ['news'])).toEqual([2]);
    expect(await one.connectionQuota.take('shop', 1)).toBe(true);
    expect(await other.connectionQuota.take('shop', 1)).toBe(false);
    expect(await one.health.check()).toMatchObject({ status: 'OK' });
    await one.shutdown.stop('the test');
    expect(await one.presence.health()).toBe('presence is closed');
    // Holdings that were not released are removed at the next query.
    while ((await other.presence.members(LOBBY)).length > 1) await new Promise((r) => setTimeout(r, 50));
    expect(told).toEqual(['+ada', '+bo', '-ada']);
    expect([one.exits, one.lines]).toEqual([[0], []]);
    await other.presence.close();
    for (const { close } of processes) await close();
  });
});
