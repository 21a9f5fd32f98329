import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type HostRules, judgeHost, parseHost } from '../src/guards/hosts.js';
import { accepts, isJsonType } from '../src/guards/media-types.js';
import { isOriginAllowed } from '../src/guards/origins.js';

const rules = (allowed: readonly string[], bound: HostRules['bound'] = 'other'): HostRules => ({
  allowed: allowed.flatMap((one) => parseHost(one) ?? []),
  bound,
  defaultPort: 80,
});

describe('the host of a request', () => {
  it.each([
    ['MCP.example.com:8443', 'yes'],
    ['mcp.example.com', 'yes'],
    ['localhost', 'no'],
    ['mcp.example.com, mcp.example.com', 'no'],
    ['mcp.example.com:99999', 'no'],
    ['mcp.example.com@evil.test', 'no'],
    ['', 'no'],
    [undefined, 'no'],
  ])('%s is judged by the list: %s', (host, verdict) => {
    expect(judgeHost(host, rules(['mcp.example.com']))).toBe(verdict);
  });

  it('has the port of the entry, said or not', () => {
    expect(judgeHost('a.test', rules(['a.test:80']))).toBe('yes');
    expect(judgeHost('a.test:80', rules(['a.test:80']))).toBe('yes');
    expect(judgeHost('a.test:81', rules(['a.test:80']))).toBe('no');
  });

  it('is of this machine without a list, or needs a token where others can connect', () => {
    for (const name of ['localhost', 'LOCALHOST:1', '127.0.0.1', '[::1]:6100'])
      for (const bound of ['loopback', 'other', 'unix socket'] as const)
        expect(judgeHost(name, rules([], bound))).toBe('yes');
    expect(judgeHost('rebind.test:6100', rules([], 'loopback'))).toBe('no');
    expect(judgeHost('10.0.0.5', rules([], 'other'))).toBe('with a token');
    expect(judgeHost('anything at all', rules([], 'unix socket'))).toBe('yes');
  });

  it('is never accepted but for an entry of its name', () => {
    const name = fc.stringMatching(/^[a-z0-9][a-z0-9.-]{0,20}$/);
    fc.assert(
      fc.property(name, name, fc.option(fc.nat(65_535)), (entry, asked, port) => {
        const host = port === null ? asked : `${asked}:${port}`;
        expect(judgeHost(host, rules([entry]))).toBe(entry === asked ? 'yes' : 'no');
      }),
    );
  });
});

describe('the origin of a page', () => {
  it.each([
    ['http://localhost:3000', true],
    ['https://127.0.0.1', true],
    ['http://[::1]:5173', true],
    ['https://evil.test', false],
    ['http://localhost.evil.test', false],
    ['http://localhost@evil.test', false],
    ['ftp://localhost', false],
    ['http://localhost/path', false],
    ['null', false],
    ['', false],
  ])('%s without a list: %s', (origin, allowed) => {
    expect(isOriginAllowed(origin, [])).toBe(allowed);
  });

  it('equals an entry, case and the usual port aside', () => {
    const list = ['https://App.example.com', 'http://b.test:8080'];
    for (const origin of ['https://app.example.com', 'HTTPS://APP.EXAMPLE.COM:443', 'http://b.test:8080'])
      expect(isOriginAllowed(origin, list)).toBe(true);
    for (const origin of ['http://app.example.com', 'http://b.test', 'http://localhost:3000', 'null'])
      expect(isOriginAllowed(origin, list)).toBe(false);
  });
});

describe('media types', () => {
  it('both have to be allowed', () => {
    const both = ['application/json', 'text/event-stream'];
    const yes = [undefined, '*/*', 'application/json, text/event-stream', 'Application/*;q=0.5 , text/*'];
    for (const header of yes) expect(accepts(header, both)).toBe(true);
    for (const header of ['application/json', 'text/event-stream', '', '*/*;q=0', 'text/html'])
      expect(accepts(header, both)).toBe(false);
  });

  it('are JSON whatever the character set', () => {
    expect(isJsonType('Application/JSON; charset=utf-8')).toBe(true);
    for (const header of [undefined, 'text/plain', 'application/json-patch+json', ''])
      expect(isJsonType(header)).toBe(false);
  });
});
