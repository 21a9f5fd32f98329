import { describe, expect, it } from 'vitest';
import { explainMissingPackage } from '../src/index.js';

const load = async (name: string): Promise<unknown> => import(name).catch((error: unknown) => error);

describe('explainMissingPackage', () => {
  it.each([
    ['no-such-package', 'no-such-package'],
    ['no-such-package/inside.js', 'no-such-package'],
    ['@no-such/package/inside.js', '@no-such/package'],
  ])('names the package of a driver that cannot import %s', async (name, missing) => {
    const explained = explainMissingPackage('pulsar', await load(name));
    expect(String(explained)).toContain(`driver pulsar needs the package ${missing}, which is not installed`);
    expect(String(explained)).toContain(`npm install ${missing}"`);
  });

  it('returns other errors as they are', async () => {
    const missingFile = await load(new URL('./no-such-file.js', import.meta.url).href);
    for (const error of [new Error('refused'), 'text', missingFile]) {
      expect(explainMissingPackage('pulsar', error)).toBe(error);
    }
  });
});
