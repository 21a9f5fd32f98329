import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Channels, refusalError } from '../src/index.js';
import { appWith, GLOBALS, verdict } from './samples.js';

const channels = new Channels(GLOBALS);
const app = appWith();
const ALLOWED = 'ABCXYZabcxyz0189-_=@,;.';

describe('name rules', () => {
  it.each([
    ['', 'empty'],
    ['a', 'ok'],
    ['bad name!', 'characters'],
    ['a/b', 'characters'],
    ['a\n', 'characters'],
    ['ä', 'characters'],
    ['a'.repeat(200), 'ok'],
    ['a'.repeat(201), 'too_long'],
    ['private-' + 'a'.repeat(192), 'ok'],
    ['private-' + 'a'.repeat(193), 'too_long'],
    [ALLOWED, 'ok'],
  ])('hold for a subscription and for a publish target alike: %s is %s', (name, expected) => {
    expect(verdict(channels.subscription(app, name, 1))).toBe(expected);
    expect(verdict(channels.subscription(app, name, 2))).toBe(expected);
    expect(verdict(channels.publishTarget(app, name))).toBe(expected);
  });

  it('take the limit of the app, and none where that is 0', () => {
    const short = appWith({ limits: { max_channel_name_length: 5 } });
    expect(verdict(channels.publishTarget(short, 'abcde'))).toBe('ok');
    expect(verdict(channels.publishTarget(short, 'abcdef'))).toBe('too_long');
    const unlimited = appWith({ limits: { max_channel_name_length: 0 } });
    expect(verdict(channels.publishTarget(unlimited, 'a'.repeat(5000)))).toBe('ok');
  });

  it.each(['*', 'news.*', '[meta]orders'])('keep %s from being a publish target', (name) => {
    expect(verdict(channels.publishTarget(app, name))).toBe('characters');
  });

  it('answer 4300 on a socket and invalid_input on HTTP', () => {
    const result = channels.publishTarget(app, 'bad name!');
    if (result.accepted) throw new Error('accepted');
    expect(result).toMatchObject({ frame: 'channel_refused', http: 'invalid_input' });
    expect(refusalError(result)).toMatchObject({ code: 'invalid_input', status: 400, message: result.text });
  });

  it('accept exactly texts of allowed characters within the limit', () => {
    const text = fc.oneof(
      fc.string({ unit: fc.constantFrom(...ALLOWED.split('')), maxLength: 220 }),
      fc.string({ unit: 'binary', maxLength: 12 }),
    );
    fc.assert(
      fc.property(text, (name) => {
        fc.pre(!/[:#]/.test(name));
        const valid = /^[A-Za-z0-9\-_=@,;.]{1,200}$/.test(name) && !name.includes('\n');
        expect(channels.publishTarget(app, name).accepted).toBe(valid);
      }),
    );
  });
});
