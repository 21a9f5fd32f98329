import { engine } from '@carillon/test-backends';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { keySlot } from '../src/pub-sub/key-slot.js';
import { openLink, toCluster } from './settings.js';

it('the slot of a key is the one the cluster says', async () => {
  const { link } = await openLink({ target: toCluster((await engine('redis-cluster')).url) });
  const keys = ['123456789', '', '{}a', 'a{}b', 'a{b}c', '{a}{b}', 'a}b{c}', 'a{b', 'é\u{1F514}', '{é}x'];
  keys.push(
    ...fc.sample(fc.string({ unit: 'grapheme' }), 50),
    ...fc.sample(fc.string({ unit: fc.constantFrom('{', '}', 'a') }), 50),
  );
  const slots = await Promise.all(keys.map((key) => link.call('cluster', 'keyslot', key)));
  expect(keys.map(keySlot)).toEqual(slots);
  expect(keySlot('123456789')).toBe(12_739);
  link.close();
});
