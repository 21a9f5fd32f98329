import { array, assert, constantFrom, property, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Router } from '../src/http/router.js';

function router(...routes: string[]): Router<string> {
  const made = new Router<string>();
  for (const route of routes) {
    const [method = '', path = ''] = route.split(' ');
    made.add(method, path, route);
  }
  return made;
}

describe('router', () => {
  it('prefers fixed segments to parameters, and parameters to the rest', () => {
    const made = router('GET /a/*rest', 'GET /a/:id', 'GET /a/b');
    expect(made.find('GET', '/a/b')?.target).toBe('GET /a/b');
    expect(made.find('GET', '/a/c')).toMatchObject({ target: 'GET /a/:id', names: ['id'], values: ['c'] });
    expect(made.find('GET', '/a/c/d')).toMatchObject({ target: 'GET /a/*rest', values: ['c/d'] });
  });

  it('looks further when the most specific place does not know the method', () => {
    const made = router('POST /a/b', 'GET /a/:id', 'GET /:x/b/c', 'GET /a/b/d');
    expect(made.find('GET', '/a/b')?.target).toBe('GET /a/:id');
    expect(made.find('GET', '/a/b/c')?.target).toBe('GET /:x/b/c');
    expect(made.methods('/a/b')).toEqual(['GET', 'POST']);
    expect(made.methods('/nowhere')).toEqual([]);
  });

  it('never takes an empty segment for a parameter, nor merges slashes', () => {
    const made = router('GET /apps/:id/events');
    expect(made.find('GET', '/apps//events')).toBeNull();
    expect(made.find('GET', '//apps/1/events')).toBeNull();
    expect(made.find('GET', '/apps/1//events')).toBeNull();
    expect(made.find('GET', '/apps/1/events/')).toBeNull();
  });

  it.each(['/a/:b.png', '/a{/:b}', '/*rest/b', '/a/(.*)', '/a/b?', '/:'])('refuses %s', (path) => {
    expect(() => router().add('GET', path, 'x')).toThrow('not supported');
  });

  it('keeps the first of two registrations', () => {
    const made = router('GET /a');
    expect(made.add('GET', '/a/', 'second')).toBe(false);
    expect(made.find('GET', '/a')?.target).toBe('GET /a');
  });

  it('compares case and escapes as they are on the wire', () => {
    const made = router('GET /a/:id');
    expect(made.find('GET', '/A/1')).toBeNull();
    expect(made.find('GET', '/%61/1')).toBeNull();
    expect(made.find('GET', '/a/%2F')?.values).toEqual(['%2F']);
  });

  it('answers names of object members like any other path', () => {
    const made = router('GET /a');
    for (const path of ['/__proto__', '/constructor', '/toString']) expect(made.find('GET', path)).toBeNull();
  });

  it('finds every registered path by any values, and agrees with its own list of methods', () => {
    const segment = constantFrom('a', 'b', ':p', ':q');
    const path = array(segment, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('/')}`);
    const method = constantFrom('GET', 'POST');
    assert(
      property(array(tuple(method, path), { minLength: 1, maxLength: 8 }), (routes) => {
        const made = router(...routes.map((route) => route.join(' ')));
        for (const [verb, template] of routes) {
          const given = template.replaceAll(/:[pq]/g, 'a');
          expect(made.find(verb, given)).not.toBeNull();
          for (const known of ['GET', 'POST'])
            expect(made.methods(given).includes(known)).toBe(made.find(known, given) !== null);
        }
      }),
    );
  });
});
