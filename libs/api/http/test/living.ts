import { AiChannels } from '@carillon/history-ai';
import type { WebhookEvent } from '@carillon/webhooks';
import { type DurableOptions, openDurable } from './durable.js';
import { call, configOf, publish, read, type Scene, SHOP } from './scene.js';

export const CHANNEL = '/channels/orders';
const AI = {
  ...configOf({}).ai_transport,
  enabled: true,
  channels: [{ prefix: 'ai-' }],
  max_accumulated_message_bytes: 1000,
  max_appends_per_message: 9,
  max_open_streaming_messages_per_channel: 1,
};

/** The API with mutable messages and annotations, and the webhooks it sends. */
export async function openLiving({ env, ...options }: DurableOptions = {}) {
  const told: WebhookEvent[] = [];
  const scene = await openDurable({
    living: { versionsMs: null, aiOf: (channel) => new AiChannels(AI).limitsOf(channel) },
    webhooks: { wants: () => true, emit: (_app, event) => void told.push(event) },
    apps: [{ ...SHOP, policy: { channels: { annotations_enabled: true } } }],
    settings: { ai_transport: AI },
    ...options,
    env: {
      VERSIONED_MESSAGES_ENABLED: 'true',
      ANNOTATIONS_ENABLED: 'true',
      ...env,
    },
  });
  return { ...scene, told };
}

/** The path of a new message. */
export async function made(
  scene: Scene,
  data: unknown = 'a',
  channel = 'orders',
  more: object = {},
): Promise<string> {
  const { body } = await publish(scene, {
    name: 'note',
    channel,
    data,
    message_id: crypto.randomUUID(),
    ...more,
  });
  const { channels } = body as { channels: Record<string, { message_serial: string }> };
  return `/channels/${channel}/messages/${channels[channel]?.message_serial ?? ''}`;
}

export const post = (scene: Scene, path: string, body: unknown) => call(scene, 'POST', path, body);
export const itemOf = async (scene: Scene, path: string) =>
  ((await read(scene, path)).body as { item: Record<string, unknown> }).item;
