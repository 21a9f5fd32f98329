import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scenarios } from '../scenarios/index.js';
import { helpText } from '../settings/help.js';
import { parseOptions } from '../settings/options.js';
import { parseTargetUrl } from '../settings/target-url.js';

const TARGET = ['--url', 'ws://127.0.0.1:6001', '--app', 'a', '--key', 'k', '--secret', 's'];

/** @param {string[]} more */
const refused =
  (...more) =>
  () =>
    parseOptions(['fanout', ...TARGET, ...more]);

describe('target address', () => {
  it('is refused unless it is on this machine', () => {
    for (const host of [
      'example.com',
      '10.0.0.1',
      '0.0.0.0',
      '128.0.0.1',
      '[2001:db8::1]',
      '127.0.0.1.example.com',
    ]) {
      expect(() => parseTargetUrl(`ws://${host}:6001`)).toThrow('loopback');
    }
    fc.assert(
      fc.property(
        fc.ipV4().filter((ip) => !ip.startsWith('127.')),
        (ip) => {
          expect(() => parseTargetUrl(`http://${ip}:80/`)).toThrow('loopback');
        },
      ),
    );
  });

  it('is taken apart when it is', () => {
    expect(parseTargetUrl('ws://127.0.0.1:6001')).toEqual({
      host: '127.0.0.1',
      port: 6001,
      authority: '127.0.0.1:6001',
      path: '/',
    });
    expect(parseTargetUrl('http://localhost/a?b=1')).toEqual({
      host: '127.0.0.1',
      port: 80,
      authority: 'localhost:80',
      path: '/a?b=1',
    });
    expect(parseTargetUrl('http://[::1]:9/')).toEqual({
      host: '::1',
      port: 9,
      authority: '[::1]:9',
      path: '/',
    });
  });

  it('is refused with a password in it, which would end up in the report', () => {
    expect(() => parseTargetUrl('http://u:secret@127.0.0.1/')).toThrow('--url may not hold a password');
  });

  it('is refused with other schemes and when it is no URL', () => {
    for (const url of ['wss://127.0.0.1', 'https://127.0.0.1', 'file:///etc', '127.0.0.1:80', '']) {
      expect(() => parseTargetUrl(url)).toThrow('--url must be like');
    }
  });
});

describe('options', () => {
  it('fill in what the scenario usually uses, and obey the command line', () => {
    const options = parseOptions(['fanout', ...TARGET, '--rate', '5']);
    expect(options?.settings).toMatchObject({
      connections: 1000,
      channels: 1,
      rate: 5,
      duration: 5,
      rounds: 3,
    });
  });

  it('refuse what is out of bounds instead of bending it', () => {
    expect(refused('--connections', '15001')).toThrow('--connections must be a whole number from 1 to 15000');
    expect(refused('--connections', '1.5')).toThrow('whole');
    expect(refused('--duration', '')).toThrow('--duration');
    expect(refused('--rate', '0')).toThrow('--rate must be above 0');
    expect(refused('--pid', 'x')).toThrow('--pid');
    expect(refused('--what')).toThrow('--what');
    expect(refused('--duration', '60', '--rounds', '9')).toThrow('time limit');
    expect(refused('--key', 'a b')).toThrow('--key');
    expect(refused('churn')).toThrow('name one scenario');
  });

  it('name what is missing', () => {
    expect(() => parseOptions(['fanout', '--url', 'ws://127.0.0.1:1'])).toThrow('--app is missing');
    expect(() => parseOptions(['conns', '--url', 'ws://127.0.0.1:1'])).toThrow('--key is missing');
    expect(() => parseOptions(['http'])).toThrow('--url is missing');
  });

  it('are all in the help, and so is every scenario', () => {
    const help = helpText();
    for (const { name } of scenarios) expect(help).toContain(`  ${name} `);
    expect(help).toContain('--payload-bytes');
    expect(parseOptions(['--help'])).toBeNull();
    expect(parseOptions([])).toBeNull();
  });
});
