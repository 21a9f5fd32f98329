import { describe, expect, it } from 'vitest';
import { engine } from '../src/index.js';
import { natsRequest } from '../src/wire/nats.js';

describe('nats', () => {
  it('keeps a message in a JetStream stream', async () => {
    const nats = await engine('nats');
    const { name } = await nats.isolate();
    const created = await natsRequest(nats.url, `$JS.API.STREAM.CREATE.${name}`, {
      name,
      subjects: [`${name}.>`],
      storage: 'file',
    });
    expect(created).toMatchObject({ config: { name, storage: 'file' }, state: { messages: 0 } });
    expect(await natsRequest(nats.url, `${name}.rung`, { bell: 'tenor' })).toMatchObject({
      stream: name,
      seq: 1,
    });
    expect(await natsRequest(nats.url, `$JS.API.STREAM.DELETE.${name}`)).toMatchObject({ success: true });
  });

  it('rejects when nobody answers a subject', async () => {
    const { url } = await engine('nats');
    await expect(natsRequest(url, 'nobody.listens')).rejects.toThrow('nobody answers nobody.listens');
  });
});
