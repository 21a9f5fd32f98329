import { expect } from 'vitest';
import { told } from './answers.js';
import type { Api } from './api.js';

/** Whatever serves the HTTP API. */
interface Served {
  api(): Api;
}

export const LIVING = {
  HISTORY_ENABLED: 'true',
  HISTORY_BACKEND: 'memory',
  VERSIONED_MESSAGES_ENABLED: 'true',
  ANNOTATIONS_ENABLED: 'true',
} as const;

/** The answer to a signed POST with this JSON: status and body. */
export const post = (node: Served, path: string, content: object): Promise<[number, unknown]> =>
  told(node.api().request('POST', path, { body: JSON.stringify(content) }));

/** One that must be taken. */
export async function done(node: Served, path: string, content: object): Promise<Record<string, unknown>> {
  const [status, body] = await post(node, path, content);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body as Record<string, unknown>;
}

/** A new message: its serial, and its path. */
export async function made(
  node: Served,
  channel: string,
  data: unknown,
  more: object = {},
): Promise<{ readonly serial: string; readonly path: string }> {
  const message = { name: 'note', channel, data, message_id: crypto.randomUUID(), ...more };
  const { channels } = await done(node, '/events', message);
  const serial = (channels as Record<string, { message_serial?: string }>)[channel]?.message_serial ?? '';
  return { serial, path: `/channels/${channel}/messages/${serial}` };
}
