import type { Api } from '../api.js';
import type { Extras } from '../format/frame.js';
import { storedMessage } from '../channel/history.js';
import type { Message } from '../channel/message.js';
import { CarillonError } from '../error.js';
import { randomId } from '../id.js';

/** The client dependencies of HTTP API requests. */
export interface RestParts {
  readonly vendor: string;
  /** Whether this client represents binary data as bytes; with JSON it is a list of byte values. */
  readonly hasBytes: boolean;
  /** Null: the client was given none. */
  readonly api: Api | null;
  /** The connection whose rights apply; null applies the app's own rights. */
  readonly actor: () => string | null;
}

/** The changes of an update or a delete; absent members stay unchanged. */
export interface Change {
  readonly name?: string;
  readonly data?: unknown;
  readonly extras?: Extras;
  /** Members to remove from the message. */
  readonly clear?: readonly ('name' | 'data' | 'extras')[];
  readonly description?: string;
  readonly metadata?: unknown;
  /** Makes repeating the same request harmless; absent: a new one. */
  readonly operationId?: string;
}

/** The result of a change. */
export interface Changed {
  readonly messageSerial: string;
  readonly versionSerial: string;
  readonly historySerial: number;
  readonly deliverySerial: number;
  readonly status: 'applied' | 'duplicate';
}

/** The result of a publish on one channel. */
export interface Published {
  readonly acknowledgementId?: string;
  /** Set for mutable messages. */
  readonly messageSerial?: string;
  readonly versionSerial?: string;
  readonly historySerial?: number;
  readonly deliverySerial?: number;
}

/** Options of a publish. */
export interface PublishOptions {
  readonly id?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly extras?: Extras;
}

/** Selects versions of a message. */
export interface VersionsOptions {
  readonly limit?: number;
  readonly direction?: 'newest_first' | 'oldest_first';
  readonly cursor?: string;
}

/** Makes requests about one channel; without an `api` of the client each of them is refused. */
export async function request(parts: RestParts, asked: Parameters<Api>[0]): Promise<unknown> {
  const { api } = parts;
  if (api === null)
    throw new CarillonError('The client has no api, and no token with appId to send requests with');
  return api(asked);
}

/** The messages of one channel: published, read and changed by requests. */
export class Messages {
  readonly #path: string;

  constructor(
    private readonly channel: string,
    private readonly parts: RestParts,
  ) {
    this.#path = `/channels/${encodeURIComponent(channel)}/messages`;
  }

  async publish(name: string, data: unknown, options: PublishOptions = {}): Promise<Published> {
    const { id = randomId(), tags, extras } = options;
    const body = { name, channel: this.channel, data, message_id: id, tags, extras };
    const answer = await request(this.parts, { method: 'POST', path: '/events', body });
    const { channels } = answer as { readonly channels: Readonly<Record<string, object>> };
    return camelCased(channels[this.channel] ?? {}) as Published;
  }

  /** The message as it is now. */
  async get(serial: string): Promise<Message> {
    const answer = await request(this.parts, { method: 'GET', path: this.#pathOf(serial) });
    return this.#message((answer as { item: Stored }).item);
  }

  /** Returns the versions of a message. Versions created by appends hold only the appended data. */
  async versions(
    serial: string,
    { limit, direction, cursor }: VersionsOptions = {},
  ): Promise<{ readonly items: readonly Message[]; readonly cursor: string | null }> {
    const query = {
      ...(limit === undefined ? {} : { limit: String(limit) }),
      ...(direction === undefined ? {} : { direction }),
      ...(cursor === undefined ? {} : { cursor }),
    };
    const path = `${this.#pathOf(serial)}/versions`;
    const answer = (await request(this.parts, { method: 'GET', path, query })) as VersionsAnswer;
    return {
      items: answer.items.map((item) => this.#message(item, true)),
      cursor: answer.next_cursor ?? null,
    };
  }

  update(serial: string, change: Change): Promise<Changed> {
    return this.#change(serial, 'update', change);
  }

  /** Deletes a message and leaves a tombstone. */
  delete(serial: string, change: Change = {}): Promise<Changed> {
    return this.#change(serial, 'delete', change);
  }

  append(
    serial: string,
    data: string,
    change: Omit<Change, 'data' | 'name' | 'clear'> = {},
  ): Promise<Changed> {
    return this.#change(serial, 'append', { ...change, data });
  }

  async #change(serial: string, kind: string, change: Change): Promise<Changed> {
    const { clear, operationId = randomId(), ...rest } = change;
    const body = {
      ...rest,
      clear_fields: clear,
      op_id: operationId,
      socket_id: this.parts.actor() ?? undefined,
    };
    const path = `${this.#pathOf(serial)}/${kind}`;
    return camelCased((await request(this.parts, { method: 'POST', path, body })) as object) as Changed;
  }

  #pathOf(serial: string): string {
    return `${this.#path}/${encodeURIComponent(serial)}`;
  }

  #message(item: Stored, fragments = false): Message {
    return storedMessage({ channel: this.channel, ...item }, this.parts, fragments);
  }
}

/** Renames the members of a flat answer. */
const camelCased = (answer: object): unknown =>
  Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value as unknown,
    ]),
  );

type Stored = Parameters<typeof storedMessage>[0];

interface VersionsAnswer {
  readonly items: readonly Stored[];
  readonly next_cursor?: string | null;
}
