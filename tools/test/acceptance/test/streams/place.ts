import { type Block, EventReader, frameOf } from '../harness/event-reader.js';
import type { Node } from '../harness/node.js';
import { openTenant, tenant, type Tenant } from '../harness/tenant.js';

export const shop = openTenant('shop');
export const single = tenant('single', { limits: { max_connections: 1 } });
export const disabled = tenant('disabled', {}, false);
export const closed = tenant('closed', { channels: { allowed_origins: ['https://only.test'] } });

/** How the process of event streams is started. */
export const STREAMING = {
  tenants: [shop, single, disabled, closed],
  env: {
    HISTORY_ENABLED: 'true',
    HISTORY_BACKEND: 'memory',
    CONNECTION_RECOVERY_ENABLED: 'true',
    CONNECTION_RECOVERY_MAX_BUFFER_SIZE: '20',
    TAG_FILTERING_ENABLED: 'true',
    HTTP_STREAMS_HEARTBEAT_SECONDS: '1',
    HTTP_STREAMS_MAX_CHANNELS: '5',
  },
};

export const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

/** The code of a `close` or `retry_later` block. */
export const codeOf = ({ data }: Block): unknown =>
  (JSON.parse(data) as { data: { code: unknown } }).data.code;

/** The failure that a `resume_failed` block tells of. */
export const failureOf = (block: Block): Record<string, unknown> =>
  JSON.parse(String(frameOf(block).data)) as Record<string, unknown>;

export const successOf = (block: Block): { recovered: { channel: string; replayed: number }[] } =>
  JSON.parse(String(frameOf(block).data)) as { recovered: { channel: string; replayed: number }[] };

/** The serial of an id of one channel. */
export const serialOf = (id: string): number => Number.parseInt(id.slice('1.aaaaaa.bbbbbb'.length), 36);

let names = 0;
/** A name of a channel that no other test has. */
export function name(what: string): string {
  names += 1;
  return `${what}-${names}`;
}

type Headers = Readonly<Record<string, string>>;

/** The streams of one process. */
export class Streaming {
  constructor(private readonly node: Node) {}

  open(query: string, headers: Headers = {}, of: Tenant = shop): Promise<EventReader> {
    return EventReader.open({ port: this.node.port, path: `/app/${of.key}/events?${query}`, headers });
  }

  post(body: object, headers: Headers = {}): Promise<EventReader> {
    const path = `/app/${shop.key}/events`;
    return EventReader.open({ port: this.node.port, path, method: 'POST', body, headers });
  }

  async publish(channel: string, ...texts: readonly string[]): Promise<void> {
    for (const text of texts) await this.node.api().publish(channel, 'news', text);
  }

  /** A stream that is established and subscribed, with its last id. */
  async subscribed(channel: string): Promise<{ readonly stream: EventReader; readonly id: string }> {
    const stream = await this.open(`channels=${channel}`);
    const { id = '' } = await stream.until('subscription_succeeded');
    return { stream, id };
  }
}
