import { describe, expect, it } from 'vitest';
import { BrokerLink } from '../src/broker/link.js';
import { QueueUnavailable } from '../src/index.js';

/** A broker whose connections a test makes and ends. */
function scene(maxReconnects: number | null = null) {
  const told: string[] = [];
  const broker = { isThere: true, opened: 0, lose: (_reason: string): void => undefined };
  const link = new BrokerLink({
    open: async (lost) => {
      broker.opened += 1;
      if (!broker.isThere) throw new Error('refused');
      broker.lose = lost;
      return broker.opened;
    },
    close: async (session) => void told.push(`closed ${session}`),
    maxReconnects,
    lost: (reason) => told.push(`lost: ${reason}`),
    restored: () => told.push('restored'),
  });
  return { link, broker, told };
}

describe('a link to a broker', () => {
  it('connects once for all who ask, and anew when it was lost', async () => {
    const { link, broker, told } = scene();
    expect(await Promise.all([link.session(), link.session(), link.session()])).toEqual([1, 1, 1]);
    const reasons: string[] = [];
    const unwatch = link.whenLost((reason) => reasons.push(reason));
    broker.lose('cut');
    expect(await link.session()).toBe(2);
    unwatch();
    broker.lose('cut again');
    expect(await link.session()).toBe(3);
    expect(reasons).toEqual(['cut']);
    expect(told).toEqual(['lost: cut', 'restored', 'lost: cut again', 'restored']);
  });

  it('tells whoever asks that the broker is away, and after so many attempts tries no more', async () => {
    const { link, broker } = scene(2);
    broker.isThere = false;
    // Before it was there once that is the start's to decide.
    for (let times = 0; times < 5; times += 1) await expect(link.session()).rejects.toThrow('refused');
    broker.isThere = true;
    await link.session();
    broker.isThere = false;
    broker.lose('cut');
    for (let times = 0; times < 3; times += 1) {
      await expect(link.session()).rejects.toThrow(new QueueUnavailable('refused'));
    }
    const { opened } = broker;
    await expect(link.session()).rejects.toThrow('given up after 2 attempts to reconnect');
    expect(broker.opened).toBe(opened);
  });

  it('that is closed stays so', async () => {
    const { link, broker, told } = scene();
    await link.session();
    await link.close();
    broker.lose('the connection was closed');
    expect(told).toEqual(['closed 1']);
    await expect(link.session()).rejects.toThrow(QueueUnavailable);
  });
});
