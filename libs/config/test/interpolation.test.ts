import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { interpolate } from '../src/load/interpolate.js';
import { problems, runs } from './harness.js';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Reads the text character by character, the slow and obvious way. */
function oracle(raw: string, env: Readonly<Record<string, string>>): { text: string; unresolved: string[] } {
  let text = '';
  const unresolved = new Set<string>();
  for (let at = 0; at < raw.length; at += 1) {
    const end = raw.startsWith('${', at) ? raw.indexOf('}', at) : -1;
    const inner = end === -1 ? '' : raw.slice(at + 2, end);
    const split = inner.indexOf(':-');
    const name = split === -1 ? inner : inner.slice(0, split);
    if (end === -1 || !NAME.test(name)) {
      text += raw[at] ?? '';
      continue;
    }
    const value = env[name] ?? '';
    if (value !== '') text += value;
    else if (split !== -1) text += inner.slice(split + 2);
    else {
      unresolved.add(name);
      text += raw.slice(at, end + 1);
    }
    at = end;
  }
  return { text, unresolved: [...unresolved].sort() };
}

const piece = fc.constantFrom(
  '${',
  '}',
  ':-',
  '-',
  '$',
  '{',
  'A',
  'B_1',
  '1',
  ' ',
  '\n',
  '#',
  '"',
  'é',
  '${A}',
  '${B_1:-x}',
  '${C:-',
);
const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
const env = fc.dictionary(
  fc.constantFrom('A', 'B_1', 'C'),
  fc.constantFrom('', ' ', 'v', '${A}', '${C:-d}', '$&', '}'),
);

describe('interpolation', () => {
  it('does what a slow reader of the grammar does', () => {
    fc.assert(
      fc.property(text, env, (raw, variables) => {
        expect(interpolate(raw, variables)).toEqual(oracle(raw, variables));
      }),
      { numRuns: 1000 },
    );
  });

  it('leaves text without a token as it is', () => {
    fc.assert(
      fc.property(
        fc.string().filter((raw) => !raw.includes('${')),
        (raw) => {
          expect(interpolate(raw, {})).toEqual({ text: raw, unresolved: [] });
        },
      ),
    );
  });

  it('never looks at what it put in', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        fc.pre(value !== '');
        expect(interpolate('<${V}>', { V: value, W: 'no' }).text).toBe(`<${value}>`);
      }),
    );
  });

  it.each([
    ['${V}', 'x', '${V}'],
    ['${V:-d}', 'x', 'd'],
    ['${V:-}', 'x', ''],
    ['${V:-a}b}', 'xb}', 'ab}'],
    ['${V:-${W}}', 'x}', '${W}'],
    ['$${V}', '$x', '$${V}'],
    ['$V ${} ${1A} ${V-d} ${ V }', '$V ${} ${1A} ${V-d} ${ V }', '$V ${} ${1A} ${V-d} ${ V }'],
    ['# ${V}', '# x', '# ${V}'],
    ['${V:-two\nlines}', 'x', 'two\nlines'],
  ])('%s is %s when set and %s when not', (raw, set, unset) => {
    expect(interpolate(raw, { V: 'x' }).text).toBe(set);
    expect(interpolate(raw, {}).text).toBe(unset);
    expect(interpolate(raw, { V: '' }).text).toBe(unset);
  });

  it('knows no variable that nobody set', () => {
    expect(interpolate('${constructor} ${toString:-d}', {})).toEqual({
      text: '${constructor} d',
      unresolved: ['constructor'],
    });
  });

  it('counts white space as set', () => {
    expect(interpolate('${V:-d}', { V: ' ' }).text).toBe(' ');
  });
});

describe('interpolation of a file', () => {
  it('reports every unresolved name in one line', () => {
    const toml = 'host = "${B}"\nmode = "${A}"\n[cors]\norigin = ["${B}"]\n# ${B}';
    expect(problems({ toml })).toEqual(['unresolved environment variables in config: A, B']);
  });

  it('reports them even where they break the syntax', () => {
    expect(problems({ toml: 'port = ${A}' })).toEqual(['unresolved environment variables in config: A']);
  });

  it('scans comments', () => {
    expect(problems({ toml: '# ${NOPE}' })).toEqual(['unresolved environment variables in config: NOPE']);
  });

  it('puts values in as they are', () => {
    const apps = '[[app_manager.array.apps]]\nid = "a"\nkey = "k"\nsecret = "${V}"';
    const { config } = runs({ toml: apps, env: { V: '${W}' } });
    expect(config.app_manager.array.apps[0]?.secret.reveal()).toBe('${W}');
  });

  it('ends a default at the first brace', () => {
    expect(runs({ toml: 'host = "${H:-a}b}"' }).config.host).toBe('ab}');
  });
});
