import { invalid } from '../errors.js';
import type { Encryptor } from '../options.js';
import { defined } from '../requests/names.js';
import type { BatchEvent, BatchOptions, BatchResult, PublishOptions, PublishResult } from '../types.js';
import { type Caller, callOf } from './caller.js';

const SOCKET_ID = /^\d+\.\d+$/;
const ENCRYPTED = 'private-encrypted-';

/** Publishes events. */
export class Events {
  constructor(
    private readonly caller: Caller,
    private readonly encryptor: Encryptor | undefined,
  ) {}

  async publish(
    channels: string | readonly string[],
    event: string,
    data: unknown,
    options: PublishOptions,
  ): Promise<PublishResult> {
    const names = typeof channels === 'string' ? [channels] : channels;
    if (names.length === 0) throw invalid('the list of channels is empty');
    const key = options.idempotencyKey ?? this.caller.nextKey();
    const body = {
      name: event,
      channels: names,
      ...(await this.#content(names, data, options)),
      ...(key === false ? {} : { idempotency_key: key }),
    };
    const request = { method: 'POST', path: '/events', body, idempotent: key !== false } as const;
    return this.caller.call({ ...callOf(options), ...request });
  }

  async publishBatch(events: readonly BatchEvent[], options: BatchOptions): Promise<BatchResult> {
    const key = options.idempotencyKey ?? this.caller.nextKey();
    const batch = await Promise.all(
      events.map(async ({ channel, name, data, socket_id: pusherId, ...rest }, index) => ({
        channel,
        name,
        ...(await this.#content([channel], data, { ...defined({ socketId: pusherId }), ...rest })),
        ...(key === false ? {} : { idempotency_key: `${key}:${index}` }),
      })),
    );
    const request = {
      method: 'POST',
      path: '/batch_events',
      body: { batch },
      idempotent: key !== false,
    } as const;
    return this.caller.call({ ...callOf(options), ...request });
  }

  async #content(names: readonly string[], data: unknown, options: PublishOptions): Promise<object> {
    const { socketId, info, tags, delta, messageId, extras } = options;
    if (socketId !== undefined && !SOCKET_ID.test(socketId)) {
      throw invalid(`socketId ${JSON.stringify(socketId)} is malformed; expected "digits.digits"`);
    }
    return defined({
      data: await this.#sealed(names, textOf(data)),
      socket_id: socketId,
      info: typeof info === 'string' ? info : info?.join(','),
      tags,
      delta,
      message_id: messageId,
      extras,
    });
  }

  async #sealed(names: readonly string[], text: string | undefined): Promise<string | undefined> {
    const sealed = names.find((name) => name.startsWith(ENCRYPTED));
    if (sealed === undefined) return text;
    if (names.length > 1) throw invalid('an event of an encrypted channel goes to that channel alone');
    if (this.encryptor === undefined) {
      throw invalid(`channel "${sealed}" is encrypted; pass "encryptor" of @carillon/server/encrypted`);
    }
    return JSON.stringify(await this.encryptor.seal(sealed, text ?? 'null'));
  }
}

/** Data as the text that subscribers receive. */
export function textOf(data: unknown): string | undefined {
  if (data === undefined || typeof data === 'string') return data;
  if (typeof data === 'bigint' || typeof data === 'function' || typeof data === 'symbol') {
    throw new TypeError(`data must be text or JSON, not a ${typeof data}`);
  }
  if (ArrayBuffer.isView(data) || data instanceof ArrayBuffer) {
    throw new TypeError('data must be text or JSON, not bytes; encode them, for example as base64');
  }
  return JSON.stringify(data);
}
