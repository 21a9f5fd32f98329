import { describe } from 'vitest';
import type { Api } from '../harness/api.js';
import { ClientV2, type ConnectV2, type FrameV2 } from '../harness/client-v2.js';
import type { Client } from '../harness/client.js';
import type { Node } from '../harness/node.js';
import type { SessionForm } from '../harness/session-client.js';
import { openTenant, tenant, type Tenant } from '../harness/tenant.js';
import { FORMATS, type Format } from '../harness/wire-v2.js';

const channels = {
  annotations_enabled: true,
  channel_delta_compression: { 'keyed-*': { enabled: true, conflation_key: 'asset' } },
  channel_namespaces: [{ name: 'chat', allow_user_limited_channels: true }, { name: 'room' }],
};
/** Everything of its channels is kept. */
export const kept = openTenant('kept', { channels });
/** Nothing is, but for who comes back soon. */
export const passing = openTenant('passing', { history: { enabled: false } });

/** Has little room for anything. */
export const bounded = openTenant('bounded', {
  limits: {
    max_presence_members_per_channel: 2,
    max_client_events_per_second: 2,
    decay_seconds: 3600,
    max_event_payload_in_kb: 1,
  },
});
/** Its clients may say nothing, nor who they are. */
export const mute = tenant('mute');
export const single = tenant('single', { limits: { max_connections: 1 } });
export const disabled = tenant('disabled', {}, false);
export const TENANTS = [kept, passing, bounded, mute, single, disabled] as const;

/** How the service is started, beside its store. */
export const SETTINGS = {
  HISTORY_ENABLED: 'true',
  HISTORY_MAX_PAGE_SIZE: '100',
  VERSIONED_MESSAGES_ENABLED: 'true',
  ANNOTATIONS_ENABLED: 'true',
  CONNECTION_RECOVERY_ENABLED: 'true',
  CONNECTION_RECOVERY_MAX_BUFFER_SIZE: '20',
  TAG_FILTERING_ENABLED: 'true',
} as const;

/** Where the same tests run: one process, or two gateways beside an api node. */
export interface Served {
  /** In one process both are the same. */
  gateway(index: 0 | 1): Node;
  api(live: 0 | 1, tenant: Tenant): Api;
}

type Transport = 'websocket' | SessionForm;

/** What holds for sockets holds for sessions. */
const SESSIONS: readonly SessionForm[] = ['session', 'session-events'];

let names = 0;

/** One app of the service, by clients in one format. */
export class Place {
  constructor(
    private readonly served: Served,
    readonly tenant: Tenant,
    readonly format: Format,
    readonly transport: Transport = 'websocket',
  ) {}

  get isSession(): boolean {
    return this.transport !== 'websocket';
  }

  /** A name that nobody else has. */
  name(what: string): string {
    names += 1;
    return `${what}-${names}`;
  }

  /** A connection that nothing has come on yet. */
  open(gateway: 0 | 1, how: ConnectV2 = {}): Promise<ClientV2> {
    return ClientV2.open(this.served.gateway(gateway), this.#how(gateway, how));
  }

  connect(gateway: 0 | 1, how: ConnectV2 = {}): Promise<ClientV2> {
    return ClientV2.connect(this.served.gateway(gateway), this.#how(gateway, how));
  }

  /** One at each gateway. */
  async both(how: ConnectV2 = {}): Promise<readonly [here: ClientV2, there: ClientV2]> {
    return [await this.connect(0, how), await this.connect(1, how)];
  }

  /** Frames of a session go to the other gateway than that of its response. */
  #how(gateway: 0 | 1, how: ConnectV2): ConnectV2 {
    const { format, tenant: of, transport } = this;
    const postPort = this.served.gateway(gateway === 0 ? 1 : 0).port;
    const isOther = how.format !== undefined && how.format !== format;
    const via = isOther || how.port !== undefined ? {} : { transport, postPort };
    return { format, tenant: of, ...via, ...how };
  }

  /** A connection of protocol 1. */
  old(gateway: 0 | 1): Promise<Client> {
    return this.served.gateway(gateway).connect(this.tenant);
  }

  api(): Api {
    return this.served.api(0, this.tenant);
  }

  async publish(channel: string, ...texts: readonly string[]): Promise<void> {
    await this.publishAs(this.tenant, channel, ...texts);
  }

  /** The same for another app. */
  async publishAs(tenant: Tenant, channel: string, ...texts: readonly string[]): Promise<void> {
    for (const text of texts) await this.served.api(0, tenant).publish(channel, 'news', text);
  }

  /** A signed POST that must be taken. */
  async post(path: string, content: object): Promise<Record<string, unknown>> {
    const answer = await this.api().request('POST', path, { body: JSON.stringify(content) });
    if (answer.status !== 200) throw new Error(`HTTP ${answer.status}: ${answer.body}`);
    return JSON.parse(answer.body) as Record<string, unknown>;
  }
}

/** The same tests in every format. */
export function inEveryFormat(
  title: string,
  served: Served,
  tenant: Tenant,
  tests: (place: Place) => void,
): void {
  describe.each(FORMATS)(`${title} (%s)`, (format) => {
    tests(new Place(served, tenant, format));
  });
  describe.each(SESSIONS)(`${title} (%s over HTTP)`, (transport) => {
    tests(new Place(served, tenant, 'json', transport));
  });
}

/** What applications said, of everything that came. */
export const news = (frames: readonly FrameV2[]): FrameV2[] => frames.filter(({ event }) => event === 'news');

/** The texts of that. */
export const texts = (frames: readonly FrameV2[]): string[] => news(frames).map(({ data }) => String(data));

/** The same, each with its serial. */
export const placed = (frames: readonly FrameV2[]): string[] =>
  news(frames).map(({ data, serial }) => `${String(data)} ${serial}`);

/** Everything a client hears up to the application's `last`, which somebody has published or is about to. */
export async function heard(client: ClientV2, last = 'last'): Promise<FrameV2[]> {
  const frames: FrameV2[] = [];
  for (;;) {
    const frame = await client.next();
    if (frame.event === 'news' && frame.data === last) return frames;
    frames.push(frame);
  }
}
