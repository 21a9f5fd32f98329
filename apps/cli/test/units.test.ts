import { describe, expect, it } from 'vitest';
import { Latencies } from '../src/bench/latencies.js';
import { merged } from '../src/apps/members.js';
import { escapeText, jsonText } from '../src/output/escape.js';
import { tableLines } from '../src/output/table.js';
import { Terminal } from '../src/output/terminal.js';
import { unknownWord } from '../src/program/nearest.js';
import { durationMs, timeMs } from '../src/program/values.js';
import { Connection } from '../src/settings/connection.js';
import { levelOf } from '../src/settings/level.js';
import { utf8Text } from '../src/settings/stdin.js';

function terminal(options: { isTTY?: boolean; color?: boolean | null; env?: Record<string, string> }) {
  const written: string[] = [];
  const stream = { isTTY: options.isTTY === true, write: (text: string) => written.push(text) };
  const { color = null, env = {} } = options;
  const made = new Terminal({
    stdout: stream,
    stderr: stream,
    json: false,
    quiet: false,
    verbose: false,
    color,
    env,
  });
  made.line('text', 'red');
  return written.join('').includes('\u001b');
}

describe('Terminal', () => {
  it.each([
    ['a pipe', {}, false],
    ['a terminal', { isTTY: true }, true],
    ['a terminal with NO_COLOR=1', { isTTY: true, env: { NO_COLOR: '1' } }, false],
    ['a terminal with an empty NO_COLOR', { isTTY: true, env: { NO_COLOR: '' } }, true],
    ['a terminal with TERM=dumb', { isTTY: true, env: { TERM: 'dumb' } }, false],
    ['--color on a pipe', { color: true }, true],
    ['--no-color on a terminal', { isTTY: true, color: false }, false],
  ])('decides on colours on %s', (_, options, expected) => expect(terminal(options)).toBe(expected));
});

describe('escapeText', () => {
  it('escapes control characters, and jsonText those that JSON leaves', () => {
    expect(escapeText('\u001b[2J\u009b')).toBe(String.raw`\u001b[2J\u009b`);
    expect(jsonText({ a: '\u001b\u007f\u009b' })).toBe(String.raw`{"a":"\u001b\u007f\u009b"}`);
  });
});

describe('tableLines', () => {
  it('aligns columns and cuts lines to the width', () => {
    expect(
      tableLines(
        ['id', 'key'],
        [
          ['a', 'b'],
          ['long', null],
        ],
        null,
      ),
    ).toEqual(['ID    KEY', 'a     b', 'long  -']);
    expect(tableLines(['id'], [['abcdef']], 4)).toEqual(['ID', 'abc…']);
  });
});

describe('unknownWord', () => {
  it('suggests the nearest word within two edits, otherwise lists the words', () => {
    expect(unknownWord('command', 'pubish', ['publish', 'push'])).toContain('did you mean "publish"?');
    expect(unknownWord('command', 'zzzzzz', ['publish', 'push'])).toContain('expected one of publish, push');
  });
});

describe('times', () => {
  it('are durations before now, Unix milliseconds or RFC 3339', () => {
    expect(durationMs('15m', '--x')).toBe(900_000);
    expect(timeMs('1h', '--x', 5_000_000)).toBe(1_400_000);
    expect(timeMs('1760000000000', '--x', 0)).toBe(1_760_000_000_000);
    expect(timeMs('2026-01-01T00:00:00Z', '--x', 0)).toBe(1_767_225_600_000);
    expect(() => timeMs('yesterday', '--x', 0)).toThrow('RFC 3339');
  });
});

describe('Connection', () => {
  const low = { url: 'http://example.com', appId: '1', key: 'k1', secret: 's1' };

  it('takes each value from the first level with that value', () => {
    const connection = new Connection([{ url: 'http://127.0.0.1:1' }, { key: 'k2' }, low]);
    expect([connection.url, connection.appId, connection.key, connection.secret]).toEqual([
      'http://127.0.0.1:1',
      '1',
      'k2',
      's1',
    ]);
  });

  it('does not use the key of another app', () => {
    expect(() => new Connection([{ appId: '2' }, low]).key).toThrow('no key for app "2"');
    expect(new Connection([{ appId: '1' }, low]).key).toBe('k1');
  });

  it('uses the demo credentials for a loopback address only', () => {
    expect(new Connection([]).credentials).toMatchObject({ appId: '1001', key: 'demo-key', isDemo: true });
    expect(() => new Connection([{ url: 'http://example.com' }]).appId).toThrow('no app is named');
  });

  it('prefers single values over those of an app URL of the same level', () => {
    const level = levelOf({ secret: 'own' }, 'https://k:s@host/prefix/apps/9', '--app-url');
    expect(level).toEqual({ url: 'https://host/prefix', appId: '9', key: 'k', secret: 'own' });
    expect(() => levelOf({}, 'https://host/apps/9', '--app-url')).toThrow('lacks a part');
  });
});

describe('utf8Text', () => {
  it('names the offset of the first invalid byte', () => {
    expect(() => utf8Text(Buffer.from([0x61, 0x62, 0xff, 0xfe]), 'DATA')).toThrow('offset 2');
    expect(() => utf8Text(Buffer.from([0x61, 0xc3]), 'DATA')).toThrow('offset 1');
    expect(utf8Text(Buffer.from('\ufeffä'), 'DATA')).toBe('\ufeffä');
  });
});

describe('merged', () => {
  it('merges tables, removes members that are null, and replaces lists', () => {
    expect(merged({ a: { b: 1, c: 2 }, d: [1] }, { a: { b: null }, d: [2] })).toEqual({
      a: { c: 2 },
      d: [2],
    });
  });
});

describe('Latencies', () => {
  it('estimates percentiles within one percent', () => {
    const latencies = new Latencies();
    for (let ms = 1; ms <= 1000; ms += 1) latencies.add(ms);
    expect(Math.abs((latencies.percentile(0.5) ?? 0) - 500)).toBeLessThan(10);
    expect(latencies.max).toBe(1000);
    expect(new Latencies().percentile(0.5)).toBeNull();
  });
});
