import type { Config } from '@carillon/config';
import { type Connection, NatsDialer } from '@carillon/nats';
import type { ConsumerInfo, JetStreamClient, JetStreamManager, JsMsg } from '@nats-io/jetstream';
import type { DeadLetter, ReceivedMessage } from '../../consumer/message.js';
import type { ConsumerDriver, ConsumerSession } from '../../consumer/session.js';

export interface JetStreamOptions {
  readonly settings: Config['adapter']['nats'];
  readonly connectionName: string;
  readonly stream: string;
  /** Null: all subjects of the stream. */
  readonly subject: string | null;
  readonly durable: string;
  readonly maxInFlight: number;
  /** Null: dead letters are dropped. */
  readonly deadLetterSubject: string | null;
  readonly isOrdered: boolean;
}

const TIMEOUT_MS = 5000;
const EXPIRES_MS = 1000;
const ACK_WAIT_NS = 30_000_000_000;
const KEEP_MS = 10_000;
const NOT_FOUND = 10014;
/** Remembers where the ordered consumer starts while it is replaced. */
const NEXT = '-next';

/** Consumes a stream of JetStream through a durable pull consumer. */
export class JetStreamDriver implements ConsumerDriver {
  readonly #dialer: NatsDialer;

  constructor(private readonly options: JetStreamOptions) {
    const { settings, connectionName } = options;
    this.#dialer = new NatsDialer({
      section: 'ingest.sources',
      settings,
      connectionName,
      inboxPrefix: '_INBOX',
      onEvent: () => {},
    });
  }

  async open(): Promise<ConsumerSession> {
    const connection = await this.#dialer.open();
    try {
      const { jetstream } = await import('@nats-io/jetstream');
      const client = jetstream(connection.client, { timeout: TIMEOUT_MS });
      const manager = await client.jetstreamManager(false);
      await new Consumers(manager, this.options).prepare();
      return new JetStreamSession(this.options, connection, client);
    } catch (error) {
      await connection.client.close();
      throw error;
    }
  }
}

/** The durable consumer of the source. */
class Consumers {
  constructor(
    private readonly manager: JetStreamManager,
    private readonly options: JetStreamOptions,
  ) {}

  /**
   * Creates the consumer if it does not exist. For an ordered source it starts at the first message without an
   * acknowledgement: a redelivery would come behind newer messages. The start is remembered by a second consumer while the
   * first one is replaced.
   */
  async prepare(): Promise<void> {
    const { stream, durable, isOrdered } = this.options;
    const current = await this.#info(durable);
    if (!isOrdered) {
      if (current === null) await this.#add(durable, null);
      return;
    }
    const next = await this.#info(`${durable}${NEXT}`);
    const from = current === null ? (next?.config.opt_start_seq ?? null) : current.ack_floor.stream_seq + 1;
    if (current !== null) {
      if (next !== null) await this.manager.consumers.delete(stream, `${durable}${NEXT}`);
      await this.#add(`${durable}${NEXT}`, from);
      await this.manager.consumers.delete(stream, durable);
    }
    await this.#add(durable, from);
    await this.manager.consumers.delete(stream, `${durable}${NEXT}`).catch(() => false);
  }

  async #info(name: string): Promise<ConsumerInfo | null> {
    try {
      return await this.manager.consumers.info(this.options.stream, name);
    } catch (error) {
      if ((error as { readonly code?: unknown }).code === NOT_FOUND) return null;
      throw error;
    }
  }

  async #add(name: string, from: number | null): Promise<void> {
    const { stream, subject, maxInFlight } = this.options;
    await this.manager.consumers.add(stream, {
      durable_name: name,
      ack_policy: 'explicit',
      ack_wait: ACK_WAIT_NS,
      max_ack_pending: maxInFlight,
      max_deliver: -1,
      deliver_policy: from === null ? 'all' : 'by_start_sequence',
      ...(from === null ? {} : { opt_start_seq: from }),
      ...(subject === null ? {} : { filter_subject: subject }),
    });
  }
}

class JetStreamSession implements ConsumerSession {
  readonly #controller = new AbortController();
  readonly #open = new Map<ReceivedMessage, JsMsg>();
  #keptAtMs = performance.now();
  #buffer: ReceivedMessage[] = [];
  #pulling: Promise<void> | null = null;
  #arrived: () => void = () => {};

  constructor(
    private readonly options: JetStreamOptions,
    private readonly connection: Connection,
    private readonly client: JetStreamClient,
  ) {
    void connection.closed.then((reason) => this.#controller.abort(new Error(reason)));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What has arrived is returned before the pull ends. A pull is never ended early: it would drop messages on their way. */
  async fetch(max: number): Promise<readonly ReceivedMessage[]> {
    if (this.#pulling === null) this.#pull(max);
    if (this.#buffer.length === 0) await this.#arrival();
    return this.#buffer.splice(0, max);
  }

  async acknowledge(message: ReceivedMessage): Promise<void> {
    this.#open.get(message)?.ack();
    this.#open.delete(message);
  }

  async storeDeadLetter({ message, headers }: DeadLetter): Promise<void> {
    const { deadLetterSubject } = this.options;
    if (deadLetterSubject === null) return;
    const { headers: headersOf } = await import('@nats-io/transport-node');
    const all = headersOf();
    for (const [name, value] of Object.entries(headers)) all.set(name, value.replaceAll(/[\r\n]/g, ' '));
    await this.client.publish(deadLetterSubject, message.payload ?? new Uint8Array(), { headers: all });
  }

  async renew(): Promise<void> {
    if (performance.now() - this.#keptAtMs < KEEP_MS - 1000) return;
    this.#keptAtMs = performance.now();
    for (const message of this.#open.values()) message.working();
  }

  async close(): Promise<void> {
    this.#controller.abort(new Error('the session was closed'));
    // Acknowledgements are sent before the connection closes.
    await this.connection.client.flush().catch(() => {});
    await this.connection.client.close().catch(() => {});
  }

  #pull(max: number): void {
    this.#pulling = this.#receive(max)
      .catch((error: unknown) => this.#controller.abort(error))
      .finally(() => {
        this.#pulling = null;
        this.#arrived();
      });
  }

  async #receive(max: number): Promise<void> {
    const { stream, durable } = this.options;
    const consumer = await this.client.consumers.get(stream, durable);
    const messages = await consumer.fetch({ max_messages: max, expires: EXPIRES_MS });
    for await (const message of messages) {
      const one = receivedOf(message);
      this.#open.set(one, message);
      this.#buffer.push(one);
      this.#arrived();
    }
  }

  /** Resolves when a message has arrived or the pull has ended. */
  #arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#arrived = resolve;
    });
  }
}

function receivedOf(message: JsMsg): ReceivedMessage {
  const { info, seq, subject, data } = message;
  const headers: Record<string, string> = {};
  for (const name of message.headers?.keys() ?? [])
    headers[name.toLowerCase()] = message.headers?.get(name) ?? '';
  return {
    payload: data,
    headers,
    key: null,
    topic: subject,
    position: `${info.stream}\0${seq}\0${info.timestampNanos}`,
    origin: `${info.stream}/${seq}`,
    atMs: Math.floor(info.timestampNanos / 1_000_000),
  };
}
