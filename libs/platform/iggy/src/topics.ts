import type { IggyClient } from './client.js';
import { IggyRefused } from './failures.js';

export interface TopicPlan {
  readonly topic: string;
  readonly partitions: number;
  /** Null: as the server is configured. */
  readonly expiryMs: number | null;
}

export interface StreamOptions {
  readonly stream: string;
  /** False: missing streams and topics are an error. */
  readonly autoCreate: boolean;
  readonly durability: string | null;
  readonly consumerOffsetDurability: string | null;
  /** Settings named in errors, such as `queue.iggy`. */
  readonly block: string;
}

const NOT_FOUND = 404;
const MICROSECONDS = 1000;

/** Creates the stream and the topics that do not exist. A topic made by an operator keeps its settings. */
export async function ensureTopics(
  client: IggyClient,
  options: StreamOptions,
  plans: readonly TopicPlan[],
): Promise<void> {
  const stream = `/streams/${encodeURIComponent(options.stream)}`;
  await ensure(client, options, stream, `stream "${options.stream}"`, '/streams', { name: options.stream });
  for (const { topic, partitions, expiryMs } of plans) {
    const { durability, consumerOffsetDurability } = options;
    const more = {
      ...(durability === null ? {} : { durability }),
      ...(consumerOffsetDurability === null ? {} : { consumer_offset_durability: consumerOffsetDurability }),
    };
    const path = `${stream}/topics/${encodeURIComponent(topic)}`;
    await ensure(client, options, path, `topic "${topic}"`, `${stream}/topics`, {
      name: topic,
      partitions_count: partitions,
      compression_algorithm: 'none',
      message_expiry: expiryMs === null ? 0 : expiryMs * MICROSECONDS,
      max_topic_size: 0,
      ...(Object.keys(more).length === 0 ? {} : { options: more }),
    });
  }
}

async function ensure(
  client: IggyClient,
  { autoCreate, block }: StreamOptions,
  path: string,
  what: string,
  creation: string,
  body: Readonly<Record<string, unknown>>,
): Promise<void> {
  try {
    await client.request('GET', path);
    return;
  } catch (error) {
    if (!(error instanceof IggyRefused) || error.status !== NOT_FOUND) throw error;
    if (!autoCreate)
      throw new IggyRefused(
        NOT_FOUND,
        error.code,
        `${what} does not exist and ${block}.auto_create is false`,
      );
  }
  try {
    await client.request('POST', creation, JSON.stringify(body));
  } catch (error) {
    // Another process was faster.
    if (error instanceof IggyRefused && error.code.includes('already_exists')) return;
    throw error;
  }
}
