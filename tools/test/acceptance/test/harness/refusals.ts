import { expect } from 'vitest';
import type { Client } from './client.js';

/** The error frame that must come next; nothing may follow it. Resolves with its message. */
export async function expectError(client: Client, code: number, channel?: string): Promise<string> {
  const error = await client.nextError();
  expect(error).toEqual({
    event: 'pusher:error',
    ...(channel === undefined ? {} : { channel }),
    data: { code, message: expect.any(String) as string },
  });
  expect(error.data.message).not.toBe('');
  return error.data.message;
}

/** The two frames of a refused subscription, in their order and their exact form. */
export async function expectNotSubscribed(
  client: Client,
  channel: string,
  code: number,
  status: number,
): Promise<void> {
  const message = JSON.stringify(await expectError(client, code, channel));
  const type = code === 4009 ? 'AuthError' : 'SubscriptionError';
  expect(await client.nextText()).toBe(
    `{"event":"pusher:subscription_error","channel":${JSON.stringify(channel)},"data":{"type":"${type}","error":${message},"status":${status},"code":${code}}}`,
  );
}

/** One error frame, then the close frame with the same code and text, and nothing else. */
export async function expectClosed(
  client: Client,
  code: number,
  message?: string,
  limitMs?: number,
): Promise<void> {
  const error = await client.nextError(limitMs);
  expect(error).toEqual({
    event: 'pusher:error',
    data: { code, message: message ?? (expect.any(String) as string) },
  });
  expect(await client.ended()).toEqual({ texts: [], code, reason: error.data.message });
}
