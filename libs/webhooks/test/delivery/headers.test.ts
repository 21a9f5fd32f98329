import { describe, expect, it } from 'vitest';
import { webhookHeaders } from '../../src/delivery/headers.js';
import { app, KEY } from '../samples.js';

const body = Buffer.from(
  '{"time_ms":1760000000123,"events":[{"name":"channel_occupied","channel":"orders"},{"name":"member_added","channel":"presence-lobby","user_id":"u-9"}]}',
);

const signature = (secret: string) =>
  webhookHeaders(app([], { secret }), 'd-1', body, {})['X-Pusher-Signature'];

describe('the headers of a webhook', () => {
  it('are the documented ones, with the documented signature, then the receiver’s own', () => {
    expect(Object.entries(webhookHeaders(app(), 'd-1', body, { 'X-Env': 'prod' }))).toEqual([
      ['Content-Type', 'application/json'],
      ['Content-Length', String(body.byteLength)],
      ['X-Pusher-Key', KEY],
      ['X-Pusher-Signature', '8bf562d99ccdafe4fd299d6e9ee8930511da3b62cb6f1e24a3bc1f79c870752b'],
      ['X-Service-Webhook-Id', 'd-1'],
      ['X-Env', 'prod'],
    ]);
  });

  it('cannot be replaced by the receiver’s, in whatever case, nor can what frames the request', () => {
    const plain = webhookHeaders(app(), 'd-1', body, {});
    const own = {
      'content-type': 'text/plain',
      'X-PUSHER-KEY': 'other',
      'x-Pusher-signature': '0',
      'X-Service-Webhook-ID': 'mine',
      'content-length': '1',
      'Transfer-Encoding': 'chunked',
      Connection: 'upgrade',
    };
    expect(webhookHeaders(app(), 'd-1', body, own)).toEqual(plain);
  });

  it('are signed with the secret of now', () => {
    expect(signature('new')).not.toBe(signature('old'));
  });
});
