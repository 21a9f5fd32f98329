import type { Connection, NatsAnswer } from '@carillon/nats';
import type { BrokerLink } from '../../broker/link.js';
import { InvalidJob, QueueFull, QueueUnavailable } from '../../failures.js';

/** What the server says instead of an answer. */
export class JetStreamError extends QueueUnavailable {
  constructor(
    /** As in the server's list of errors; 0: it gave none. */
    readonly code: number,
    description: string,
  ) {
    super(description);
  }
}

export const STREAM_EXISTS = 10058;
export const NO_MESSAGE = 10037;
const FULL: ReadonlySet<number> = new Set([10047, 10077, 10122, 10166]);
const TOO_LARGE: ReadonlySet<number> = new Set([10054, 10083]);

type Fields = Readonly<Record<string, unknown>>;

/** Requests to JetStream, which are JSON both ways. */
export class JetStream {
  constructor(
    private readonly link: BrokerLink<Connection>,
    private readonly timeoutMs: number,
  ) {}

  /** Rejects with `QueueUnavailable` when there is no connection or no answer. */
  async ask(subject: string, text: string): Promise<Exclude<NatsAnswer, { kind: 'silent' }>> {
    const connection = await this.link.session();
    const answer = await connection.ask(subject, text, this.timeoutMs);
    if (answer.kind === 'silent') throw new QueueUnavailable(`no answer in ${this.timeoutMs} ms`);
    return answer;
  }

  /** Rejects with `JetStreamError` where the server refuses. */
  async api(path: string, request: object = {}): Promise<Fields> {
    const answer = await this.ask(`$JS.API.${path}`, JSON.stringify(request));
    if (answer.kind === 'no_responder') throw new QueueUnavailable('the server has no JetStream');
    return fieldsOf(answer.text);
  }

  /** Resolves when the message is stored. Rejects with `QueueFull` or `InvalidJob` where it does not fit. */
  async publish(subject: string, text: string): Promise<void> {
    const { maxPayload } = await this.link.session();
    if (Buffer.byteLength(text) > maxPayload) {
      throw new InvalidJob(`the server takes messages of at most ${maxPayload} bytes`);
    }
    const answer = await this.ask(subject, text);
    if (answer.kind === 'no_responder') throw new QueueUnavailable('the stream of the queue is gone');
    try {
      fieldsOf(answer.text);
    } catch (error) {
      if (error instanceof JetStreamError && FULL.has(error.code)) throw new QueueFull(null);
      if (error instanceof JetStreamError && TOO_LARGE.has(error.code)) throw new InvalidJob(error.message);
      throw error;
    }
  }
}

export const isError = (error: unknown, code: number): boolean =>
  error instanceof JetStreamError && error.code === code;

function fieldsOf(text: string): Fields {
  const fields = objectOf(parsed(text));
  if ('error' in fields) {
    const { err_code: code, description } = objectOf(fields['error']);
    throw new JetStreamError(numberOf(code), textOf(description) || 'refused by the server');
  }
  return fields;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new QueueUnavailable('the server does not speak the protocol of JetStream');
  }
}

/** Empty where it is none. */
export const objectOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

/** 0 where it is none. */
export const numberOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : 0;

/** Empty where it is none. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
