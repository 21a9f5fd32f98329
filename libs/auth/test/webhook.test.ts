import { expect, it } from 'vitest';
import { signWebhook, verifyWebhook } from '../src/index.js';
import { DOCS, SHOP } from './keys.js';

const body =
  '{"time_ms":1760000000123,"events":[{"name":"channel_occupied","channel":"orders"},{"name":"member_added","channel":"presence-lobby","user_id":"u-9"}]}';
const signature = '8bf562d99ccdafe4fd299d6e9ee8930511da3b62cb6f1e24a3bc1f79c870752b';

it('signs a webhook as documented, over the exact bytes', () => {
  expect(signWebhook(SHOP, body)).toBe(signature);
  expect(signWebhook(SHOP, Buffer.from(body))).toBe(signature);
  expect(verifyWebhook(SHOP, body, signature)).toBe(true);
});

it('refuses another body, another app and another case', () => {
  expect(verifyWebhook(SHOP, `${body}\n`, signature)).toBe(false);
  expect(verifyWebhook(DOCS, body, signature)).toBe(false);
  expect(verifyWebhook(SHOP, body, signature.toUpperCase())).toBe(false);
});
