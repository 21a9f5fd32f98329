import {
  CompatError,
  type CompatCore,
  isObject,
  type JsonObject,
  type KeyedConnection,
  type NewMessage,
  type Principal,
  type Pushes,
  readMessage,
} from '@carillon/ably-core';
import type { Access, Entry } from './access.js';
import { FailedInPart } from './error-answer.js';
import type { Ask, Reply } from './exchange.js';

const MAX_MESSAGES = 1000;
const MAX_SPECS = 100;
const MAX_CHANNELS = 100;
const MAX_RESULTS = 1000;
const MAX_OPERATIONS = 10_000;
const AT_A_TIME = 8;

const malformed = (text: string): CompatError => new CompatError(40_000, text);

/** A message published to one channel. */
interface Published {
  readonly channel: string;
  readonly messageId: string;
  readonly serials: readonly string[];
}

/** Messages that may be published. */
interface Judged {
  readonly messages: readonly NewMessage[];
  /** Push payloads of the messages; none if this process has no push. */
  readonly pushes: Pushes;
  readonly connectionId: string | null;
}

type Outcome = Published | { readonly channel: string; readonly error: object };

/** Publishes to a channel. */
export class Publishing {
  constructor(
    private readonly core: CompatCore,
    private readonly entry: Entry,
  ) {}

  readonly one = async (ask: Ask): Promise<Reply> => {
    const access = await this.entry.channel(ask, ['publish']);
    const values = listOf(ask.body());
    const batch = await this.#judged(access, values);
    await this.entry.count(access.principal, 'backend', values.length);
    return { status: 201, body: await this.#publish(access, batch) };
  };

  readonly batch = async (ask: Ask): Promise<Reply> => {
    const principal = await this.entry.principal(ask);
    const body = ask.body();
    const specs = (Array.isArray(body) ? body : [body]).map((spec) => readSpec(spec, principal.app.limits));
    checkSize(specs);
    await this.entry.count(principal, 'backend', sum(specs.map(({ messages }) => messages.length)));
    const jobs = specs.flatMap(({ channels, messages }, index) =>
      channels.map((channel) => ({ channel, messages, index })),
    );
    const outcomes = await inOrder(jobs, async ({ channel, messages }): Promise<Outcome> => {
      try {
        const access = this.entry.named(principal, channel, ['publish']);
        return await this.#publish(access, await this.#judged(access, messages));
      } catch (error) {
        return { channel, error: this.entry.told(error).body };
      }
    });
    if (!Array.isArray(body)) return ofOne(outcomes);
    return {
      status: 200,
      body: specs.map((_spec, index) => resultOf(outcomes.filter((_one, at) => jobs[at]?.index === index))),
    };
  };

  /** Judges all of them: a refused push payload refuses the request before anything is published. */
  async #judged({ principal }: Access, values: readonly unknown[]): Promise<Judged> {
    const rules = this.core.messageRules(principal.app);
    const connection = await this.#connection(principal, values);
    // A publish on behalf of a connection has the identity of the connection.
    const identity = connection === null || connection.clientId === '*' ? principal : connection;
    const messages = values.map((value) => readMessage(value, identity, rules));
    const pushes = (await this.core.push?.judged(principal.app.id, messages)) ?? [];
    return { messages, pushes, connectionId: connection?.connectionId ?? null };
  }

  /** The connection for which all of them are published; null: for none. */
  async #connection({ app }: Principal, values: readonly unknown[]): Promise<KeyedConnection | null> {
    const keys = values.map((value) => (isObject(value) ? (value['connectionKey'] ?? null) : null));
    const [key = null] = keys;
    if (keys.some((one) => one !== key) || (key !== null && typeof key !== 'string'))
      throw new CompatError(40_006, 'messages are published for one connection at a time');
    if (key === null) return null;
    return this.core.connectionKeys.find(key, app.id).catch((error: unknown) => {
      throw error instanceof CompatError ? error : new CompatError(50_003, 'connections cannot be asked for');
    });
  }

  async #publish({ principal, channel, name }: Access, batch: Judged): Promise<Published> {
    const { messages, pushes, connectionId } = batch;
    const request = { principal, channel, messages, connectionId, base: null };
    const { ids, serials } = await this.core.publisher.publish(request);
    await this.entry.inbound(principal, messages);
    const { push } = this.core;
    if (push !== null)
      for (const [index, message] of messages.entries()) {
        const published = { appId: principal.app.id, channel: channel.name, id: ids[index] ?? '' };
        await push.publish(pushes[index] ?? null, published);
        await push.rule(published, message);
      }
    const [first = ''] = ids;
    const given = messages.length === 1 ? (messages[0]?.id ?? null) : null;
    return { channel: name.text, messageId: given ?? first.replace(/:\d+$/, ''), serials };
  }
}

function listOf(body: unknown): readonly unknown[] {
  const values: readonly unknown[] | null = Array.isArray(body) ? body : isObject(body) ? [body] : null;
  if (values === null || values.length === 0 || values.length > MAX_MESSAGES)
    throw malformed(`one to ${MAX_MESSAGES} messages are needed`);
  return values;
}

interface Spec {
  readonly channels: readonly string[];
  readonly messages: readonly unknown[];
}

function readSpec(
  spec: unknown,
  limits: { readonly maxEventChannelsAtOnce: number; readonly maxEventBatchSize: number },
): Spec {
  if (!isObject(spec)) throw malformed('a spec must be an object');
  const channels = channelsOf(spec);
  const messages = listOf(spec['messages']);
  if (channels.length > Math.min(MAX_CHANNELS, limits.maxEventChannelsAtOnce))
    throw malformed('too many channels');
  if (messages.length > limits.maxEventBatchSize) throw malformed('too many messages');
  return { channels, messages };
}

function channelsOf({ channels }: JsonObject): readonly string[] {
  const list: readonly unknown[] = Array.isArray(channels) ? channels : [channels];
  if (list.length === 0 || !list.every((one) => typeof one === 'string'))
    throw malformed('channels must be names');
  return list;
}

function checkSize(specs: readonly Spec[]): void {
  const results = sum(specs.map(({ channels }) => channels.length));
  const operations = sum(specs.map(({ channels, messages }) => channels.length * messages.length));
  if (specs.length === 0 || specs.length > MAX_SPECS || results > MAX_RESULTS || operations > MAX_OPERATIONS)
    throw malformed('the batch is empty or too large');
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

function resultOf(results: readonly Outcome[]): object {
  const failureCount = results.filter((one) => 'error' in one).length;
  return { successCount: results.length - failureCount, failureCount, results };
}

function ofOne(outcomes: readonly Outcome[]): Reply {
  if (outcomes.some((one) => 'error' in one)) throw new FailedInPart(outcomes);
  return { status: 201, body: outcomes };
}

/** Runs jobs a few at a time; results are in the order of the jobs. */
async function inOrder<Job, Result>(
  jobs: readonly Job[],
  work: (job: Job) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < jobs.length; start += AT_A_TIME)
    results.push(...(await Promise.all(jobs.slice(start, start + AT_A_TIME).map(work))));
  return results;
}
