import { whyMissing } from '@carillon/test-backends';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.js';
import { PushFleet, WORKERS } from '../harness/push-fleet.js';

const PHONES = Array.from({ length: 16 }, (_, index) => `phone-${index}`);
const BROWSERS = Array.from({ length: 4 }, (_, index) => `browser-${index}`);
const ALL = [...PHONES, ...BROWSERS];
const CHANNEL = 'offers';
/** Deliveries that a dispatcher has claimed and whose result is not stored. */
const SENDING = `select delivery_key from push_deliveries where state = 'sending'`;

const FEW = {
  // One by one, so that no more than one send is under way when its worker dies.
  PUSH_DISPATCH_MAX_OUTBOUND_REQUESTS: '1',
  PUSH_RETRY_INITIAL_BACKOFF_MS: '20',
  PUSH_RETRY_MAX_BACKOFF_MS: '100',
  PUSH_FAILURE_THRESHOLD: '1000',
  // So that the address of a device may be a channel.
  SERVICE_COMPAT_ENABLED: 'true',
  VERSIONED_MESSAGES_DRIVER: 'postgres',
};

const missing = whyMissing('push-clouds') ?? whyMissing('postgres') ?? whyMissing('redis');

describe.runIf(missing === null)('push workers', () => {
  let fleet: PushFleet;
  /** How many times each device has to have been told by now. */
  let rounds = 0;

  /** `channels`: devices besides, whose addresses those are. The publish ends well, every device was told once, and that is what the status says. */
  async function arrives(publishId: string, channels = 0): Promise<void> {
    const status = await eventually(async () => {
      const now = await fleet.status(publishId);
      expect(now).toMatchObject({ state: 'succeeded' });
      return now;
    }, 30_000);
    const length = ALL.length + channels;
    expect(status).toMatchObject({
      counters: { planned: length, dispatched: length, succeeded: length, failed: 0, deadLettered: 0 },
    });
    rounds += 1;
    const told = await fleet.told();
    for (const device of ALL) expect([device, told.get(device)?.answered]).toEqual([device, rounds]);
  }

  beforeAll(async () => {
    fleet = await PushFleet.open(FEW);
    await fleet.startAll();
    for (const phone of PHONES) await fleet.register(phone, CHANNEL, 'gcm');
    for (const browser of BROWSERS) await fleet.register(browser, CHANNEL, 'web');
  });
  afterAll(() => fleet.close());

  it('bring what an api node accepted to every device, and have no routes of it', async () => {
    await fleet.publish('p1', CHANNEL);
    await arrives('p1');
    for (const name of WORKERS) {
      const node = fleet.node(name);
      const paths = ['/live', '/up', '/apps/shop/push/publish/p1/status'];
      const statuses = await Promise.all(paths.map(async (path) => (await node.request({ path })).status));
      expect([name, ...statuses]).toEqual([name, 200, 200, 404]);
    }
  });

  it('reach devices whose address is a channel, by a message there, beside all others', async () => {
    const gateway = await fleet.start('gateway');
    const client = await gateway.connect();
    await client.subscribe('a-device');
    await fleet.register('by-channel', CHANNEL, 'realtime', 'a-device');
    await fleet.publish('p-channel', CHANNEL);
    const { event, channel, data } = await client.next(20_000);
    expect([event, channel]).toEqual(['__ably_push__', 'a-device']);
    expect(JSON.parse(String(data))).toEqual({ notification: { title: 'Hi', body: 'There' } });
    await arrives('p-channel', 1);
    expect(await client.pending()).toEqual([]);
    await fleet.ask('DELETE', '/deviceRegistrations/by-channel');
    expect(await gateway.stop()).toBe(0);
  });

  it('try again what a cloud did not answer', { timeout: 90_000 }, async () => {
    await fleet.answers('fcm', { act: 'drop' }, 5);
    await fleet.answers('webpush', { act: 'drop' }, 2);
    await fleet.publish('p2', CHANNEL);
    await arrives('p2');
  });

  it('go on where a planner died', { timeout: 90_000 }, async () => {
    await fleet.holding('push_deliveries', async (somebodyWaits) => {
      await fleet.publish('p3', CHANNEL);
      await somebodyWaits();
      await fleet.node('push-planner').process.kill('SIGKILL');
    });
    await fleet.minutePasses();
    await fleet.start('push-planner');
    await arrives('p3');
  });

  it(
    'send again no more than what was in flight when a dispatcher is killed between claims four times',
    { timeout: 180_000 },
    async () => {
      const kills = 4;
      const before = await fleet.told();
      const heard = async (device: string): Promise<number> =>
        ((await fleet.told()).get(device)?.heard ?? 0) - (before.get(device)?.heard ?? 0);
      const unanswered = async (): Promise<number> => {
        const told = await fleet.told();
        const open = (all: typeof told): number =>
          PHONES.reduce((sum, phone) => {
            const { heard = 0, answered = 0 } = all.get(phone) ?? {};
            return sum + heard - answered;
          }, 0);
        return open(told) - open(before);
      };
      for (let kill = 1; kill <= kills; kill += 1) {
        await fleet.answers('fcm', { act: 'hang' }, 1);
        if (kill === 1) await fleet.publish('p4', CHANNEL);
        else await fleet.start('push-dispatch');
        await eventually(async () => expect(await unanswered()).toBe(kill), 30_000);
        // An answered send whose result is not stored yet would be sent again, too.
        await eventually(async () => {
          const told = await fleet.told();
          for (const browser of BROWSERS) expect(told.get(browser)?.answered).toBe(rounds + 1);
          expect(await fleet.rows(SENDING)).toHaveLength(kill);
        }, 30_000);
        await fleet.node('push-dispatch').process.kill('SIGKILL');
      }
      await fleet.start('push-dispatch');
      await eventually(async () => {
        expect(await fleet.status('p4')).toMatchObject({ counters: { succeeded: ALL.length - kills } });
      }, 30_000);
      await fleet.minutePasses();
      await arrives('p4');
      const times = await Promise.all(PHONES.map(heard));
      expect(times.toSorted()).toEqual(PHONES.map((_, index) => (index < PHONES.length - kills ? 1 : 2)));
    },
  );

  it('go on where one that takes in results died', { timeout: 90_000 }, async () => {
    const { child } = fleet.node('push-feedback').process;
    child.kill('SIGSTOP');
    await fleet.publish('p5', CHANNEL);
    const last = rounds + 1;
    await eventually(async () => {
      const told = await fleet.told();
      for (const device of ALL) expect(told.get(device)?.answered).toBe(last);
    }, 30_000);
    await fleet.holding('push_publishes', async (somebodyWaits) => {
      child.kill('SIGCONT');
      await somebodyWaits();
      await fleet.node('push-feedback').process.kill('SIGKILL');
    });
    await fleet.start('push-feedback');
    await arrives('p5');
  });

  it('leave nothing open, and end well', async () => {
    expect(await fleet.rows(`select delivery_key from push_deliveries where state <> 'done'`)).toEqual([]);
    const nodes = [...WORKERS, 'api' as const].map((name) => fleet.node(name));
    expect(await Promise.all(nodes.map((node) => node.stop()))).toEqual([0, 0, 0, 0]);
    expect(nodes.map((node) => node.complaints())).toEqual([[], [], [], []]);
  });
});
