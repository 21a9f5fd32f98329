import { CompatError } from '@carillon/ably-core';
import { expect, it } from 'vitest';
import { errorAnswer, errorWords } from '../src/error-answer.js';
import { cursorOf, limitOf, placeOf } from '../src/paging.js';

const native = { status: 404, headers: { allow: 'GET' }, body: { error: 'no such route' } };

it('leaves errors on paths of the service in its own form, and says others in that of these clients', () => {
  const said = errorWords('/mcp');
  for (const path of ['/', '/app/k', '/apps/a/events', '/up', '/usage', '/stats', '/operator/stats', '/mcp'])
    expect([path, said(native, path)]).toEqual([path, native]);
  for (const path of ['/channels/a', '/push/x', '/applications', '/operator/stats/other', '/comet/connect'])
    expect(said(native, path)).toMatchObject({
      status: 404,
      headers: { 'x-ably-errorcode': '40400', allow: 'GET' },
      body: { error: { code: 40_400, statusCode: 404, message: 'no such route' } },
    });
  expect(said({ status: 429 }, '/time').headers).toMatchObject({ 'retry-after': '1' });
  expect(said({ status: 413 }, '/messages').body).toMatchObject({ error: { code: 40_009 } });
});

it('says a text in one line of ASCII', () => {
  expect(errorAnswer(new CompatError(40_000, 'a\nb ä')).headers['x-ably-errormessage']).toBe('a b  ');
});

it('takes a cursor for the question that it was given for, and for no other', () => {
  const asked = ['versions', 'shop', 'a b', undefined];
  const cursor = cursorOf(asked, 'place');
  expect(placeOf(asked, cursor)).toBe('place');
  expect(placeOf(asked, undefined)).toBeUndefined();
  for (const [question, text] of [
    [['versions', 'shop', 'a', 'b'], cursor],
    [['versions', 'shop', 'a b', 'x'], cursor],
    [asked, 'x'],
    [asked, ''],
  ] as const)
    expect(() => placeOf(question, text)).toThrow('cursor is not valid here');
});

it('takes a length of a page that is one', () => {
  expect(limitOf({})).toBe(100);
  expect(limitOf({ limit: '5' })).toBe(5);
  // A larger limit is reduced anyway.
  expect(limitOf({ limit: '9'.repeat(400) })).toBe(Infinity);
  for (const limit of ['0', '-1', '1.5', 'x', '']) expect(() => limitOf({ limit })).toThrow('limit');
  expect(() => limitOf({ limit: '1001' }, 1000)).toThrow('limit must be 1 to 1000');
});
