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
    expect(refused('--connections', '19001')).toThrow('--connections must be a whole number from 1 to 19000');
    expect(refused('--connections', '1.5')).toThrow('whole');
    expect(refused('--duration', '')).toThrow('--duration');
    expect(refused('--rate', '0')).toThrow('--rate must be above 0');
    expect(refused('--pid', 'x')).toThrow('--pid');
    expect(refused('--what')).toThrow('--what');
    expect(refused('--duration', '60', '--rounds', '9')).toThrow('time limit');
    expect(refused('--key', 'a b')).toThrow('--key');
    expect(refused('churn')).toThrow('name one scenario');
  });

  it('belong to the scenarios that can use them', () => {
    const soak = parseOptions(['soak', ...TARGET]);
    expect(soak?.settings).toMatchObject({ duration: 1800, rounds: 1, batch: 1, settle: 0 });
    expect(soak?.timeLimit).toBeGreaterThan(1800);
    expect(() => parseOptions(['soak', ...TARGET, '--duration', '5'])).toThrow('--minutes');
    expect(refused('--minutes', '5')).toThrow('--minutes is for soak');
    expect(() => parseOptions(['latency', ...TARGET, '--batch', '2'])).toThrow('--batch is for');
    expect(refused('--batch', '17')).toThrow('--publish-sockets');
    expect(parseOptions(['fanout', ...TARGET, '--batch', '16'])?.settings.batch).toBe(16);
    expect(parseOptions(['publish', ...TARGET, '--batch', '50'])?.settings.batch).toBe(50);
  });

  it('hold a run to the limits of its scenario', () => {
    const slow = parseOptions(['slow', ...TARGET, '--close-code', '4100', '--max-ratio', '1.5']);
    expect(slow?.limits).toEqual({ 'close-code': 4100, 'max-ratio': 1.5 });
    expect(refused('--close-code', '4100')).toThrow('--close-code is not for fanout');
    expect(() => parseOptions(['soak', ...TARGET, '--max-ratio', '2'])).toThrow(
      '--max-ratio is not for soak',
    );
    const conns = ['conns', ...TARGET, '--max-bytes-per-connection', '2560'];
    expect(() => parseOptions([...conns, '--pid', '1'])).toThrow('needs --spawn');
    expect(parseOptions([...conns, '--spawn', 'x'])?.limits).toEqual({ 'max-bytes-per-connection': 2560 });
    expect(refused('--max-ratio', '0')).toThrow('--max-ratio must be a number');
  });

  it('name what is missing', () => {
    expect(() => parseOptions(['fanout', '--url', 'ws://127.0.0.1:1'])).toThrow('--app is missing');
    expect(() => parseOptions(['conns', '--url', 'ws://127.0.0.1:1'])).toThrow('--key is missing');
    expect(() => parseOptions(['http'])).toThrow('--url is missing');
  });

  it('are all in the help, and so is every scenario', () => {
    const help = helpText();
    for (const { name } of scenarios) expect(help).toContain(`  ${name} `);
    for (const name of ['payload-bytes', 'minutes', 'max-slope-mib-per-minute']) {
      expect(help).toContain(`  --${name} `);
    }
    expect(parseOptions(['--help'])).toBeNull();
    expect(parseOptions([])).toBeNull();
  });
});
