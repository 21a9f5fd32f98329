import { describe, expect, it } from 'vitest';
import { ofApp, settled } from '../src/tools/arguments.js';

const SCHEMA = { type: 'object', properties: { serial: { type: 'integer' }, name: { type: 'string' } } };

describe('arguments', () => {
  it.each([
    ['7', 7],
    ['-7', -7],
    ['9007199254740991', 9_007_199_254_740_991],
    ['9007199254740992', '9007199254740992'],
    ['7.5', '7.5'],
    ['', ''],
  ])('that are integers may come as digits: %s', (given, read) => {
    expect(settled(SCHEMA, { serial: given, name: '7' })).toEqual({ serial: read, name: '7' });
  });

  it('that are null were not given', () => {
    expect(settled(SCHEMA, { serial: null, name: 'x' })).toEqual({ name: 'x' });
  });

  it.each([
    { type: 'string', description: 'Comma list of what is told: `cache`.' },
    { type: 'array', items: { enum: ['cache'] }, description: 'Comma list of what is told: `cache`.' },
  ])('take info as a list, and call it none of commas: %j', (info) => {
    expect(ofApp({ type: 'object', properties: { info } })['properties']).toMatchObject({
      info: { type: 'array', items: { enum: ['cache'] }, description: 'what is told: `cache`.' },
    });
  });
});
