import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Subscriptions } from '../../src/subscriber/subscriptions.js';
import type { Subscription } from '../../src/channels/audience.js';

const subscription = (name: string): Subscription =>
  ({ channel: { name }, userId: null }) as unknown as Subscription;

const names = fc.integer({ min: 0, max: 14 }).map((index) => `channel-${index}`);
const steps = fc.array(fc.tuple(fc.constantFrom('toggle' as const, 'remove' as const), names), {
  maxLength: 80,
});

describe('the channels of a subscriber', () => {
  it('are what a map would hold, in the order they came, with one, a few and many', () => {
    fc.assert(
      fc.property(steps, (program) => {
        const subscriptions = new Subscriptions();
        const model = new Map<string, Subscription>();
        for (const [kind, name] of program) {
          const held = model.get(name);
          if (kind === 'toggle' && held === undefined) {
            const added = subscription(name);
            subscriptions.add(added);
            model.set(name, added);
          } else {
            expect(subscriptions.remove(name)).toBe(held);
            model.delete(name);
          }
          expect(subscriptions.size).toBe(model.size);
          expect([...subscriptions]).toEqual([...model.values()]);
          for (let index = 0; index < 15; index += 1)
            expect(subscriptions.get(`channel-${index}`)).toBe(model.get(`channel-${index}`));
        }
      }),
    );
  });

  it.each([1, 2, 8, 9, 20])('may all be removed while they are gone through: %i of them', (count) => {
    const subscriptions = new Subscriptions();
    for (let index = 0; index < count; index += 1) subscriptions.add(subscription(`channel-${index}`));
    const seen: string[] = [];
    for (const { channel } of subscriptions) {
      seen.push(channel.name);
      subscriptions.remove(channel.name);
      subscriptions.add(subscription(`new-${channel.name}`));
    }
    expect(seen).toEqual(Array.from({ length: count }, (_, index) => `channel-${index}`));
    expect(subscriptions.size).toBe(count);
  });
});
