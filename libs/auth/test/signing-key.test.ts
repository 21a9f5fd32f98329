import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { SHOP } from './keys.js';

it('shows no secret, however the key is printed', () => {
  for (const shown of [inspect(SHOP, { depth: 9, showHidden: true }), JSON.stringify(SHOP)]) {
    expect(shown).toContain('k_4f81d0c7b29e');
    expect(shown).not.toContain('s_7a3e5590c1bd42f8');
    expect(shown).not.toContain(Buffer.from('s_7a3e5590c1bd42f8').toString('hex').slice(0, 12));
  }
});
