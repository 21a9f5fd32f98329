import type { Config } from '@carillon/config';
import { openRedisLink, type RedisLink, redisTarget } from '@carillon/redis';
import type { DeadLetter, ReceivedMessage } from '../../consumer/message.js';
import type { ConsumerDriver, ConsumerSession } from '../../consumer/session.js';

export interface RedisStreamOptions {
  readonly url: string;
  readonly stream: string;
  readonly group: string;
  readonly consumer: string;
  /** Null: dead letters are dropped. */
  readonly deadLetterStream: string | null;
  /** One consumer reads its pending entries before new ones; otherwise entries of idle consumers are claimed. */
  readonly isOrdered: boolean;
}

type Entry = readonly [id: string, fields: readonly string[] | null];

const BLOCK_MS = 1000;
const CLAIM_IDLE_MS = 30_000;
const CLAIM_EVERY_MS = 10_000;

/** Consumes a stream of Redis as a member of a group. */
export class RedisStreamDriver implements ConsumerDriver {
  constructor(
    private readonly options: RedisStreamOptions,
    private readonly settings: Config['database']['redis'],
  ) {}

  async open(): Promise<ConsumerSession> {
    const target = redisTarget(this.settings, {
      driver: 'redis',
      urlOverride: this.options.url,
      clusterMode: false,
    });
    const controller = new AbortController();
    const lost = (reason: string): void => controller.abort(new Error(reason));
    const listener = { lost, restored: () => {} };
    const open = () => openRedisLink({ target, listener });
    // A blocked read would delay acknowledgements behind it.
    const [reads, writes] = await Promise.all([open(), open()]);
    const session = new RedisStreamSession(this.options, reads, writes, controller);
    try {
      await session.createGroup();
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }
}

class RedisStreamSession implements ConsumerSession {
  /** Id behind which pending entries are read; null: all were. */
  #pending: string | null;
  #claimedAtMs = 0;

  constructor(
    private readonly options: RedisStreamOptions,
    private readonly reads: RedisLink,
    private readonly writes: RedisLink,
    private readonly controller: AbortController,
  ) {
    this.#pending = '0';
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  async createGroup(): Promise<void> {
    const { stream, group } = this.options;
    try {
      await this.writes.call('xgroup', 'create', stream, group, '0', 'mkstream');
    } catch (error) {
      if (!String(error).includes('BUSYGROUP')) throw error;
    }
  }

  async fetch(max: number): Promise<readonly ReceivedMessage[]> {
    if (this.#pending !== null) {
      const entries = await this.#read(max, this.#pending);
      this.#pending = entries.at(-1)?.[0] ?? null;
      if (entries.length > 0) return entries.map((entry) => this.#message(entry));
    }
    const claimed = this.options.isOrdered ? [] : await this.#claim(max);
    const entries = claimed.length > 0 ? claimed : await this.#read(max, '>');
    return entries.map((entry) => this.#message(entry));
  }

  async acknowledge({ origin }: ReceivedMessage): Promise<void> {
    const { stream, group } = this.options;
    await this.writes.call('xack', stream, group, origin);
  }

  async storeDeadLetter({ message, headers }: DeadLetter): Promise<void> {
    const { deadLetterStream } = this.options;
    if (deadLetterStream === null) return;
    const payload = Buffer.from(message.payload ?? []).toString();
    await this.writes.call(
      'xadd',
      deadLetterStream,
      '*',
      'payload',
      payload,
      ...Object.entries(headers).flat(),
    );
  }

  /** Pending entries have no deadline. */
  async renew(): Promise<void> {}

  async close(): Promise<void> {
    this.controller.abort(new Error('the session was closed'));
    this.reads.close();
    this.writes.close();
  }

  async #read(max: number, from: string): Promise<readonly Entry[]> {
    const { stream, group, consumer } = this.options;
    const block = from === '>' ? ['block', BLOCK_MS] : [];
    const answer = await this.reads.call(
      'xreadgroup',
      'group',
      group,
      consumer,
      'count',
      max,
      ...block,
      'streams',
      stream,
      from,
    );
    const [first] = (answer ?? []) as readonly (readonly [string, readonly Entry[]])[];
    return first?.[1] ?? [];
  }

  async #claim(max: number): Promise<readonly Entry[]> {
    if (performance.now() - this.#claimedAtMs < CLAIM_EVERY_MS) return [];
    this.#claimedAtMs = performance.now();
    const { stream, group, consumer } = this.options;
    const answer = await this.reads.call(
      'xautoclaim',
      stream,
      group,
      consumer,
      CLAIM_IDLE_MS,
      '0',
      'count',
      max,
    );
    return (answer as readonly [string, readonly Entry[]])[1];
  }

  /** An entry that was trimmed has no fields any more. */
  #message([id, fields]: Entry): ReceivedMessage {
    const { stream } = this.options;
    const headers: Record<string, string> = {};
    let payload: Uint8Array | null = null;
    const texts = fields ?? [];
    for (let index = 0; index < texts.length; index += 2) {
      const [name = '', value = ''] = [texts[index]?.toLowerCase(), texts[index + 1]];
      if (name === 'payload') payload = Buffer.from(value);
      else headers[name] = value;
    }
    return {
      payload,
      headers,
      key: null,
      topic: stream,
      position: `${stream}\0${id}`,
      origin: id,
      atMs: Number(id.split('-')[0]),
    };
  }
}
