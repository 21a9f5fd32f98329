import 'reflect-metadata';
import type { Config } from '@carillon/config';
import { createParts, RuntimeModule } from '@carillon/runtime';
import { Inject, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { describe, expect, it } from 'vitest';
import { PRESENCE, PresenceModule, type Presence } from '../src/index.js';
import { configuration } from './configuration.js';
import { as, LOBBY } from './samples.js';

@Injectable()
class Room {
  constructor(@Inject(PRESENCE) readonly presence: Presence) {}
}

/** A process with this room in it, not started. */
async function processWith(config: Config) {
  const parts = createParts(config);

  @Module({ imports: [RuntimeModule.forProcess(parts), PresenceModule], providers: [Room] })
  class Root {}

  const context = await NestFactory.createApplicationContext(Root, { logger: false, abortOnError: false });
  return { parts, presence: context.get(Room).presence, close: () => context.close() };
}

describe('the module', () => {
  it('offers presence to every room, in the memory of a process that is alone', async () => {
    const { presence, close } = await processWith(configuration());
    await presence.join(as('ada', '1.1'), Infinity);
    expect(await presence.members(LOBBY)).toMatchObject([{ userId: 'ada' }]);
    expect(await presence.health()).toBeNull();
    await close();
  });

  it('goes on while a broken observer is logged', async () => {
    const { presence, close } = await processWith(configuration());
    presence.observe(() => {
      throw new Error('broken');
    });
    expect(await presence.join(as('ada', '1.1'), Infinity)).toMatchObject({ kind: 'joined' });
    await close();
  });

  it('refuses to be alone where other processes share the load', async () => {
    const config = configuration();
    const shared = { ...config, adapter: { ...config.adapter, driver: 'nats' as const } };
    await expect(processWith(shared)).rejects.toThrow(
      'presence over adapter driver nats is not available in this build',
    );
  });
});
