import { randomBytes } from 'node:crypto';
import { engine } from '@carillon/test-backends';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cluster } from '../harness/cluster.js';
import { eventually } from '../harness/eventually.js';
import { openTenant } from '../harness/tenant.js';
import { Receiver as WebhookReceiver } from '../webhooks/receiver.js';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: string };
}

interface ToldSpan {
  readonly name: string;
  readonly kind: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  /** Which process began it. */
  readonly service: string;
}

interface Export {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Omit<ToldSpan, 'service'>[] }[];
  }[];
}

// Fresh, because the receiver also keeps what it was told in an earlier run.
const CALLER = { traceId: randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex') };
const hex = (base64: string): string => Buffer.from(base64, 'base64').toString('hex');

/** A receiver of OpenTelemetry's protocol that nobody here wrote. */
class Receiver {
  private constructor(
    private readonly url: string,
    readonly endpoint: string,
  ) {}

  static async start(): Promise<Receiver> {
    const { url } = await engine('otlp-receiver');
    const answer = await fetch(url, { method: 'POST', body: '{"do":"ports"}' });
    const { http } = (await answer.json()) as { http: number };
    return new Receiver(url, `http://127.0.0.1:${http}`);
  }

  async spans(): Promise<ToldSpan[]> {
    const answer = await fetch(this.url, { method: 'POST', body: '{"do":"heard","signal":"traces"}' });
    const exports = (await answer.json()) as Export[];
    return exports.flatMap(({ resourceSpans = [] }) =>
      resourceSpans.flatMap(({ resource, scopeSpans }) => {
        const service =
          resource.attributes.find(({ key }) => key === 'service.instance.id')?.value.stringValue ?? '';
        return scopeSpans.flatMap(({ spans }) =>
          spans.map((span) => ({
            ...span,
            traceId: hex(span.traceId),
            spanId: hex(span.spanId),
            parentSpanId: hex(span.parentSpanId ?? ''),
            service,
          })),
        );
      }),
    );
  }
}

const REQUEST = 'POST /apps/:appId/events';
const BETWEEN = ['commit', 'write', 'postgres transaction', 'webhook'];

describe('a trace', () => {
  let receiver: Receiver;
  const webhooks = new WebhookReceiver();
  let corner: { readonly url: string; end(): Promise<void> };
  let env: Readonly<Record<string, string>> = {};
  const cluster = new Cluster('nats', {
    tenants: () => {
      const events = ['message_version_created'];
      const shop = openTenant('shop', { webhooks: [{ url: webhooks.url, event_types: events }] });
      webhooks.belongsTo(shop);
      return [shop];
    },
    get env() {
      return env;
    },
    more: ['history-writer', 'webhook-worker'],
  });

  beforeAll(async () => {
    await webhooks.open();
    receiver = await Receiver.start();
    corner = await (await engine('postgres')).isolate();
    const { hostname, port, username, password, pathname } = new URL(corner.url);
    env = {
      HISTORY_ENABLED: 'true',
      HISTORY_BACKEND: 'postgres',
      VERSIONED_MESSAGES_ENABLED: 'true',
      VERSIONED_MESSAGES_DRIVER: 'postgres',
      DATABASE_POSTGRES_HOST: hostname,
      DATABASE_POSTGRES_PORT: port,
      DATABASE_POSTGRES_USERNAME: decodeURIComponent(username),
      DATABASE_POSTGRES_PASSWORD: decodeURIComponent(password),
      DATABASE_POSTGRES_DATABASE: pathname.slice(1),
      SERVICE_OTEL_ENABLED: 'true',
      SERVICE_OTEL_METRICS_ENABLED: 'false',
      SERVICE_OTEL_LOGS_ENABLED: 'false',
      SERVICE_OTEL_ENDPOINT: receiver.endpoint,
      SERVICE_OTEL_BATCH_SCHEDULED_DELAY_MS: '100',
    };
    await cluster.start();
  });
  afterAll(async () => {
    await cluster.stop();
    await corner.end();
    webhooks.close();
  });

  it('of one publish is one tree, from the request through the writer to both gateways and the webhook', async () => {
    const clients = await cluster.both();
    for (const client of clients) await client.subscribe('orders');
    const traceparent = `00-${CALLER.traceId}-${CALLER.spanId}-01`;
    const body = JSON.stringify({ name: 'e', channel: 'orders', data: 'x' });
    const { status } = await cluster.api().request('POST', '/events', { body, headers: { traceparent } });
    expect(status).toBe(200);
    for (const client of clients) await client.nextText();

    const tree = await eventually(async () => {
      const spans = (await receiver.spans()).filter(({ traceId }) => traceId === CALLER.traceId);
      expect(spans.filter(({ name }) => name === 'deliver')).toHaveLength(2);
      // Each process tells its own spans when it comes to it.
      expect(spans.map(({ name }) => name)).toEqual(expect.arrayContaining([REQUEST, ...BETWEEN]));
      return spans;
    });
    const by = (name: string): ToldSpan[] => tree.filter((span) => span.name === name);
    const [request] = by(REQUEST);
    const [commit] = by('commit');
    const [write] = by('write');
    expect(request).toMatchObject({ kind: 'SPAN_KIND_SERVER', parentSpanId: CALLER.spanId });
    expect(commit).toMatchObject({ kind: 'SPAN_KIND_CLIENT', parentSpanId: request?.spanId });
    expect(write).toMatchObject({ kind: 'SPAN_KIND_CONSUMER', parentSpanId: commit?.spanId });
    expect(by('deliver').map(({ parentSpanId }) => parentSpanId)).toEqual([write?.spanId, write?.spanId]);
    expect(new Set(by('postgres transaction').map(({ parentSpanId }) => parentSpanId))).toEqual(
      new Set([write?.spanId]),
    );
    expect(webhooks.events).toMatchObject([{ name: 'message_version_created', channel: 'orders' }]);
    expect(by('enqueue webhooks')).toMatchObject([{ parentSpanId: request?.spanId }]);
    expect(new Set(tree.map(({ service }) => service)).size).toBe(5);
  });
});
