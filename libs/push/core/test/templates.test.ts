import { describe, expect, it } from 'vitest';
import { contentFor, fillContent } from '../src/admission/templates.js';

const LOCALES = { en: { title: 'Hi' }, fr: { title: 'Bonjour' } };

describe('the locale of a template', () => {
  it.each([
    ['fr-CA', 'Bonjour'],
    ['fr_CA_x', 'Bonjour'],
    ['fr', 'Bonjour'],
    ['es', 'Hi'],
    [' ', 'Hi'],
    [7, 'Hi'],
    ['constructor', 'Hi'],
  ])('of %j says %s (13)', (requested, title) => {
    expect(contentFor(LOCALES, 'en', requested).title).toBe(title);
  });
});

describe('a placeholder', () => {
  const DATA = {
    name: 'Ada {{ data.other }}',
    order: { id: 7, a: { b: { c: 'deep' } } },
    ok: true,
    none: null,
  };
  it.each([
    ['Hi {{ data.name }}', 'Hi Ada {{ data.other }}'],
    ['{{data.order.id}} {{data.ok}}{{data.none}} }}', '7 true }}'],
    ['{{ data.order.a.b.c }}', 'deep'],
  ])('%s becomes %s', (title, filled) => {
    expect(fillContent({ title }, DATA).title).toBe(filled);
  });

  it.each([
    '{{ data.x',
    '{{ user }}',
    '{{ data }}',
    '{{ data.missing }}',
    '{{ data.order }}',
    '{{ data.a.b.c.d.e }}',
    '{{ data.name.length }}',
    '{{ data.toString }}',
  ])('%s is refused (14)', (title) => {
    expect(() => fillContent({ title }, DATA)).toThrow(expect.objectContaining({ status: 400 }));
  });
});
