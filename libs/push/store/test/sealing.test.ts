import { describe, expect, it } from 'vitest';
import { CannotOpen, Sealer } from '../src/index.js';

const KEY = 'ab'.repeat(32);
const PLACE = ['shop', 'fcm', 'fcm', 1, 'serviceAccountJson'];

describe('a sealed text', () => {
  it('opens where it was sealed for, and nowhere else', () => {
    const sealer = new Sealer(KEY);
    const sealed = sealer.seal('a secret: ü', PLACE);
    expect(sealed).toMatch(/^envelope:v2:aes256gcm:[0-9a-f]{8}:[\w-]{16}:[\w-]+$/);
    expect(sealer.open(sealed, PLACE)).toBe('a secret: ü');
    expect(() => sealer.open(sealed, ['shop', 'other', 'fcm', 1, 'serviceAccountJson'])).toThrow(CannotOpen);
    expect(() => sealer.open(`${sealed.slice(0, -4)}AAAA`, PLACE)).toThrow(CannotOpen);
    expect(() => sealer.open('plain text', PLACE)).toThrow(CannotOpen);
    expect(sealer.seal('a secret: ü', PLACE)).not.toBe(sealed);
  });

  it('opens with an earlier master key, whatever form that has', () => {
    const sealed = new Sealer(KEY).seal('old', PLACE);
    const rotated = new Sealer(' a pass phrase ', [Buffer.from(KEY, 'hex').toString('base64')]);
    expect(rotated.open(sealed, PLACE)).toBe('old');
    expect(rotated.isOld(sealed)).toBe(true);
    expect(rotated.isOld(rotated.seal('new', PLACE))).toBe(false);
    expect(() => new Sealer('another').open(sealed, PLACE)).toThrow(CannotOpen);
    expect(new Sealer('a pass phrase').open(rotated.seal('new', PLACE), PLACE)).toBe('new');
  });
});
