import type { LiveEvent } from '@carillon/broker';
import { subjectOf } from '@carillon/protocol';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Announcements } from '../../src/state/announcements.js';

/** Announcements over a broker that accepts or rejects them. */
function scene() {
  const sent: LiveEvent[] = [];
  const troubles: string[] = [];
  const broker = { isBroken: false };
  const announcements = new Announcements({
    broker: {
      publish: (event) => {
        if (broker.isBroken) return Promise.reject(new Error('not confirmed'));
        sent.push(event);
        return undefined;
      },
    },
    onTrouble: (what) => troubles.push(what),
  });
  onTestFinished(() => announcements.stop());
  const say = (userId: string, serial: number, channel = 'c'): void =>
    announcements.announce({
      appId: 'shop',
      channel,
      fact: { kind: 'member_added', channel, member: { userId, userInfoText: '{}' }, serial },
      exceptSocketId: null,
    });
  const serials = (): unknown[] =>
    sent.splice(0).map(({ fact }) => (fact.kind === 'message' ? fact : [subjectOf(fact), fact.serial]));
  return { announcements, broker, troubles, say, serials };
}

const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe('what other processes could not be told of', () => {
  it('is told when they are in reach again, of each user the last state alone', async () => {
    const { announcements, broker, troubles, say, serials } = scene();
    broker.isBroken = true;
    announcements.outOfReach();
    say('ada', 1);
    say('bo', 2);
    say('ada', 3);
    await settled();
    expect([serials(), troubles]).toEqual([[], ['telling other processes']]);
    broker.isBroken = false;
    announcements.inReachAgain();
    expect(serials()).toEqual([
      ['bo', 2],
      ['ada', 3],
    ]);
    announcements.inReachAgain();
    expect(serials()).toEqual([]);
  });

  it('is tried again in a while when they were in reach all the time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { broker, say, serials } = scene();
    broker.isBroken = true;
    say('ada', 1);
    await settled();
    vi.advanceTimersByTime(1000);
    await settled();
    broker.isBroken = false;
    vi.advanceTimersByTime(999);
    expect(serials()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(serials()).toEqual([['ada', 1]]);
  });

  it('is not told any more when something later was', async () => {
    const { announcements, broker, say, serials } = scene();
    broker.isBroken = true;
    announcements.outOfReach();
    say('ada', 1);
    await settled();
    broker.isBroken = false;
    say('ada', 2);
    announcements.inReachAgain();
    expect(serials()).toEqual([['ada', 2]]);
  });

  it('is bounded: the oldest is left to those who look themselves', async () => {
    const { announcements, broker, say, serials } = scene();
    broker.isBroken = true;
    announcements.outOfReach();
    for (let user = 0; user <= 10_000; user += 1) say(`u${user}`, user);
    await settled();
    broker.isBroken = false;
    announcements.inReachAgain();
    const told = serials();
    expect([told.length, told[0]]).toEqual([10_000, ['u1', 1]]);
  });
});
