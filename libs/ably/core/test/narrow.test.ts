import { describe, expect, it } from 'vitest';
import { Capability } from '../src/capability.js';

const narrowed = (own: object, asked: object): unknown =>
  JSON.parse(
    Capability.parse(JSON.stringify(own))
      .narrow(Capability.parse(JSON.stringify(asked)))
      .toString(),
  );

describe('what a key lets a token have', () => {
  it('is nothing of the app as a whole where it has everything on some channels only', () => {
    expect(narrowed({ 'chat:*': ['*'] }, { 'chat:1': ['push-admin', 'stats', 'publish'] })).toEqual({
      'chat:1': ['publish'],
    });
    expect(narrowed({ '*': ['*'] }, { 'chat:1': ['push-admin'] })).toEqual({ 'chat:1': ['push-admin'] });
    expect(narrowed({ 'chat:*': ['stats'] }, { '*': ['*'] })).toEqual({ 'chat:*': ['stats'] });
  });

  it('is no channel that an open bracket in the pattern of the key only seems to cover', () => {
    expect(narrowed({ '[*': ['publish'] }, { '[*]foo': ['publish'] })).toEqual({});
    expect(narrowed({ '[*]fo*': ['publish'] }, { '[*]foo': ['publish'] })).toEqual({ '[*]foo': ['publish'] });
  });
});
