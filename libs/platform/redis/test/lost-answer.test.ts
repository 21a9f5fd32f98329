import { randomUUID } from 'node:crypto';
import { engine } from '@carillon/test-backends';
import { describe, expect, it, vi } from 'vitest';
import { openLink, to } from './settings.js';
import { forwardTo } from './forwarder.js';

describe('an answer that is lost', () => {
  it('rejects the call, which is not made again', async () => {
    const { host, port, url } = await engine('redis');
    const forwarder = await forwardTo({ host, port });
    const { link: direct } = await openLink({ target: to(url) });
    const { link } = await openLink({ target: to(forwarder.url) });
    const key = randomUUID();
    await link.call('incr', key);
    forwarder.loseNextAnswer();
    await expect(link.call('incr', key)).rejects.toMatchObject({ failure: 'lost' });
    await vi.waitFor(async () => expect(await link.call('get', key)).toBe('2'));
    expect(await direct.call('get', key)).toBe('2');
    await direct.call('del', key);
    link.close();
    direct.close();
    await forwarder.close();
  });
});
