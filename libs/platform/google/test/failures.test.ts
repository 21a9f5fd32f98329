import { expect, it } from 'vitest';
import { idPrefix, orderingKey, pubsubError } from '../src/index.js';

const read = (error: unknown) => pubsubError(error, 'queue.google_pubsub', 'shop-1').message;

it('names the setting and the remedy of refused access and unknown projects', () => {
  expect(read({ code: 7, details: 'User not authorized' })).toBe(
    'queue.google_pubsub: project "shop-1" denies access (User not authorized); grant the role roles/pubsub.editor on the project',
  );
  expect(read({ code: 5, details: 'Requested project not found' })).toBe(
    'queue.google_pubsub.project_id: project "shop-1" does not exist (Requested project not found)',
  );
  expect(read({ code: 5, details: 'Resource projects/shop-1/topics/a not found' })).toBe(
    'Resource projects/shop-1/topics/a not found',
  );
  expect(pubsubError({ code: 14, details: 'x' }, 'b', 'p').isTransient).toBe(true);
});

it('encodes prefixes that ids do not take, and rejects those no id can begin with', () => {
  expect(idPrefix('service-queue', 'b', 100)).toBe('service-queue');
  expect(idPrefix('a:é', 'b', 100)).toBe('a%3a%c3%a9');
  expect(() => idPrefix('1a', 'b', 100)).toThrow('b.prefix: must begin with a letter (got "1a")');
  expect(() => idPrefix('google', 'b', 100)).toThrow('b.prefix: must not begin with "goog" (got "google")');
  expect(() => idPrefix('x'.repeat(200), 'b', 100)).toThrow('the limit is 155');
});

it('replaces an ordering key that is too long by its digest', () => {
  expect(orderingKey('app/channel')).toBe('app/channel');
  expect(orderingKey('é'.repeat(513))).toHaveLength(43);
});
