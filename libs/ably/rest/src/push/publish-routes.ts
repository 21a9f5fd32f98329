import { createHash, randomUUID } from 'node:crypto';
import { type CompatCore, CompatError, readOwnChannelName } from '@carillon/ably-core';
import type { PushOperations } from '@carillon/push-core';
import type { Ask, Reply } from '../exchange.js';
import { publishPush } from './channel-pushes.js';
import { notGranted, type PushCaller, type PushEntry } from './caller.js';
import { type PushPublish, readPushPublish } from './publishes.js';

const MAX_TEXT_BYTES = 65_536;

/** Publishes pushes, and returns the public key of Web Push. */
export class PushPublishing {
  constructor(
    private readonly core: CompatCore,
    private readonly push: PushOperations,
    private readonly entry: PushEntry,
  ) {}

  readonly publish = async (ask: Ask): Promise<Reply> => {
    const caller = await this.entry.caller(ask);
    caller.requireAdmin();
    const { request } = ask;
    const given = request.header('idempotency-key') ?? request.header('x-idempotency-key');
    const publishId = given === undefined || given === '' ? randomUUID() : given;
    const asked = readPushPublish(ask.body());
    const counted = { count: asked.recipients, bytes: Buffer.byteLength(asked.text) };
    try {
      await this.#take(caller, asked, publishId);
    } catch (error) {
      this.core.statistics.push(caller.app.id, false, counted);
      throw error;
    }
    this.core.statistics.push(caller.app.id, true, counted);
    return { status: 201, body: {} };
  };

  readonly webKey = async (ask: Ask): Promise<Reply> => {
    const caller = await this.entry.caller(ask);
    if (caller.principal === null) await caller.proveDevice();
    const key = await this.push.webKey(caller.app.id);
    if (key === null) throw new CompatError(40_400, 'no key is configured');
    return { status: 200, body: undefined, text: key };
  };

  async #take(caller: PushCaller, asked: PushPublish, publishId: string): Promise<void> {
    const { native, payload, onlyDevice } = asked;
    if (Buffer.byteLength(asked.text) > MAX_TEXT_BYTES)
      throw new CompatError(40_009, 'the push is too large');
    for (const channel of asked.channels) readOwnChannelName(channel);
    if (onlyDevice !== null) await caller.admin('findPushDevice', { segments: { deviceId: onlyDevice } });
    // A push to channels alone is validated like any other.
    if (native === null) await this.core.push?.check(caller.app.id, payload);
    else await caller.admin('publishPush', { body: () => ({ ...native, publishId }) });
    await this.#toChannels(caller, asked, publishId);
  }

  /** Sends to channels immediately, once each per publish id; a failure fails the request. */
  async #toChannels(
    { principal }: PushCaller,
    { channels, text }: PushPublish,
    publishId: string,
  ): Promise<void> {
    if (channels.length === 0) return;
    if (principal === null) throw notGranted();
    for (const name of channels) {
      const { base } = readOwnChannelName(name);
      const id = createHash('sha256').update([principal.app.id, publishId, base].join('\0')).digest('hex');
      await publishPush(this.core, principal.app, { channel: base, id: `push:${id}`, text });
    }
  }
}
