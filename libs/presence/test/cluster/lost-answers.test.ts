import { describe, expect, it, onTestFinished } from 'vitest';
import { APPLY } from '../../src/cluster/scripts.js';
import { as, brief, line, LOBBY } from '../samples.js';
import { faultyLink, type Fault } from './faulty-link.js';
import { Cluster } from './nodes.js';
import { wrapped } from './wrapped-link.js';

const unknown = (): Promise<unknown> => Promise.resolve();

/** A process whose next changes fail as scripted: executed without an answer, or not received. */
async function scene() {
  const cluster = new Cluster('redis');
  onTestFinished(() => cluster.close());
  const faults: Fault[] = [];
  let late: () => Promise<unknown> = unknown;
  const one = await cluster.open({
    wrap: (link) =>
      faultyLink(link, {
        fault: () => faults.shift(),
        onDelayed: (call) => {
          late = call;
        },
      }),
  });
  const two = await cluster.open();
  const told: string[] = [];
  for (const { presence } of [one, two]) presence.observe((change) => told.push(line(change)));
  // The scripts are known from here on, so that every call is one change.
  await one.presence.join(as('zoe', '1.9'), Infinity);
  told.length = 0;
  return {
    cluster,
    one,
    two,
    faults,
    /** Lets the call come through that was delayed. */
    late: () => late(),
    told: () => told.splice(0),
    ids: async () => (await two.presence.members(LOBBY)).map(({ userId }) => userId),
  };
}

describe('an answer that is lost', () => {
  it('of a join refuses it, and takes back what had happened', async () => {
    const { cluster, one, faults, told, ids } = await scene();
    faults.push('answer');
    await expect(one.presence.join(as('ada', '1.1'), Infinity)).rejects.toThrow('not available');
    await cluster.pass(6000);
    expect(await ids()).toEqual(['zoe']);
    expect(told()).toEqual([
      'shop presence-lobby: ada added {"from":"1.1"} by 1.1',
      'shop presence-lobby: ada removed {"from":"1.1"}, left',
    ]);
    expect(await one.presence.join(as('ada', '1.1'), Infinity)).toMatchObject({ kind: 'joined' });
    expect(told()).toHaveLength(1);
  });

  it('is not the same as a call that is lost: what was refused does not happen later', async () => {
    const { cluster, one, faults, told, ids } = await scene();
    faults.push('call', 'call');
    await expect(one.presence.join(as('ada', '1.1'), Infinity)).rejects.toThrow('not available');
    await cluster.pass(2000);
    await expect(one.presence.update(as('zoe', '1.9', { info: 'away' }))).rejects.toThrow('not available');
    await cluster.pass(2000);
    expect([await ids(), told()]).toEqual([['zoe'], []]);
  });

  it('may belong to a call that comes through after its loss was noticed: it does nothing then', async () => {
    const { cluster, one, told, ids, faults, late } = await scene();
    faults.push('delay');
    await expect(one.presence.join(as('ada', '1.1'), Infinity)).rejects.toThrow('not available');
    await cluster.pass(2000);
    await late();
    await one.presence.join(as('bo', '1.2'), Infinity);
    await late();
    expect([await ids(), told().length]).toEqual([['zoe', 'bo'], 1]);
  });

  it('of a join that its caller takes back itself is taken back once', async () => {
    const { cluster, one, faults, told, ids } = await scene();
    faults.push('answer');
    await expect(one.presence.join(as('ada', '1.1'), Infinity)).rejects.toThrow('not available');
    await expect(one.presence.leave(as('ada', '1.1'), 0, 'left')).rejects.toThrow('not available');
    await cluster.pass(6000);
    expect([await ids(), told().length]).toEqual([['zoe'], 2]);
  });

  it.each<Fault>(['answer', 'call', 'delay'])(
    '(%s) of a leave: it is made up for, and told once',
    async (fault) => {
      const { cluster, one, faults, told, ids } = await scene();
      await one.presence.join(as('ada', '1.1'), Infinity);
      told();
      faults.push(fault);
      await expect(one.presence.leave(as('ada', '1.1'), 0, 'left')).rejects.toThrow('not available');
      await cluster.pass(3000);
      expect([await ids(), told()]).toEqual([
        ['zoe'],
        ['shop presence-lobby: ada removed {"from":"1.1"}, left'],
      ]);
    },
  );

  it('of a leave with a lease lets the lease end, once', async () => {
    const { cluster, one, faults, told, ids } = await scene();
    await one.presence.join(as('ada', '1.1'), Infinity);
    told();
    faults.push('answer');
    await expect(one.presence.leave(as('ada', '1.1'), 15_000, 'connection_lost')).rejects.toThrow(
      'not available',
    );
    await cluster.pass(10_000);
    expect([await ids(), told()]).toEqual([['zoe', 'ada'], []]);
    await cluster.pass(10_000);
    expect([await ids(), told()]).toEqual([
      ['zoe'],
      ['shop presence-lobby: ada removed {"from":"1.1"}, connection_lost'],
    ]);
  });

  it('of the end of a lease is asked for again', async () => {
    const { cluster, one, faults, told, ids } = await scene();
    await one.presence.join(as('ada', '1.1'), Infinity);
    await one.presence.leave(as('ada', '1.1'), 5000, 'connection_lost');
    told();
    faults.push('answer', 'answer');
    await cluster.pass(10_000);
    expect([await ids(), told()]).toEqual([
      ['zoe'],
      ['shop presence-lobby: ada removed {"from":"1.1"}, connection_lost'],
    ]);
  });

  it('of a change of counts is told once, with what was wanted last', async () => {
    const { cluster, one, two, faults } = await scene();
    faults.push('answer', 'call');
    const settings = [one.counts.set('shop', 'news', 1), one.counts.set('shop', 'news', 2)];
    for (const setting of settings) await expect(setting).rejects.toThrow('not available');
    await expect(one.counts.set('shop', 'news', 3)).rejects.toThrow('not available');
    await cluster.pass(3000);
    expect(one.counted.map(({ kind }) => kind).filter((kind) => kind !== 'counted')).toEqual(['occupied']);
    expect(one.counted.at(-1)).toMatchObject({ count: 3 });
    expect(await two.counts.counts('shop', ['news'])).toEqual([3]);
  });

  it('of a connection lets in what is free as far as is known, and makes it known later', async () => {
    const { cluster, one, two, faults } = await scene();
    await two.quota.take('shop', 3);
    expect(await one.quota.take('shop', 3)).toBe(true);
    faults.push('answer', 'call');
    expect(await one.quota.take('shop', 3)).toBe(true);
    expect(await one.quota.take('shop', 3)).toBe(false);
    await cluster.pass(3000);
    expect(await two.quota.take('shop', 3)).toBe(false);
    expect(await two.quota.take('shop', 4)).toBe(true);
  });

  it('does not keep other places waiting', async () => {
    const { one, faults } = await scene();
    faults.push('answer');
    const place = { appId: 'shop', channel: 'presence-hall' };
    const joins = await Promise.allSettled([
      one.presence.join(as('ada', '1.1'), Infinity),
      one.presence.join(as('ada', '1.1', { place }), Infinity),
    ]);
    expect(joins.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('of an update is refused, and told if it had happened', async () => {
    const { cluster, one, faults, told } = await scene();
    faults.push('answer');
    await expect(one.presence.update(as('zoe', '1.9', { info: 'away' }))).rejects.toThrow('not available');
    await cluster.pass(3000);
    expect(told()).toEqual(['shop presence-lobby: zoe updated "away" by 1.9']);
  });
});

it('many changes in one turn of the loop take few calls', async () => {
  const cluster = new Cluster('redis');
  onTestFinished(() => cluster.close());
  let calls = 0;
  const one = await cluster.open({
    wrap: (link) =>
      wrapped(link, {
        call: (command, ...args) => {
          if (args[0] === APPLY.sha1) calls += 1;
          return link.call(command, ...args);
        },
      }),
  });
  const told: string[] = [];
  one.presence.observe((change) => told.push(brief(change)));
  const users = Array.from({ length: 500 }, (_, n) => `u${n}`);
  await Promise.all(users.map((user) => one.presence.join(as(user, '1.1'), Infinity)));
  await Promise.all(users.map((user) => one.presence.leave(as(user, '1.1'), 0, 'left')));
  expect(told).toEqual([...users.map((user) => `+${user}`), ...users.map((user) => `-${user}`)]);
  expect(calls).toBeLessThanOrEqual(12);
});
