import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonErrorOffset } from '../src/load/json-error-offset.js';
import { parseFile } from '../src/load/parse.js';

describe('parsing', () => {
  it('reads TOML by its suffix and JSON otherwise', () => {
    expect(parseFile('a.toml', 'port = 1')).toEqual({ raw: { port: 1 } });
    expect(parseFile('a.conf', '{"port": 1}')).toEqual({ raw: { port: 1 } });
  });

  it.each([
    ['a.toml', 'x = 1\npassword = "hunter2\n', 'a.toml: syntax error at line 2, column'],
    ['a.json', '{\n  "password": hunter2\n}', 'a.json: syntax error at line 2, column 15'],
    ['a.json', '{"password": "hunter2"', 'a.json: syntax error at line 1, column 23'],
    ['a.json', '', 'a.json: syntax error at line 1, column 1'],
    ['a.json', '{"a": [1, 2,]}', 'a.json: syntax error at line 1, column 13'],
  ])('names file, line and column of broken text and nothing of it: %s %j', (path, text, message) => {
    const parsed = parseFile(path, text);
    const found = 'message' in parsed ? parsed.message : '';
    expect(found.startsWith(message)).toBe(true);
    expect(found).not.toContain('hunter2');
  });

  it('finds the end of any correct JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(jsonErrorOffset(text)).toBe(text.length);
      }),
    );
  });

  it('finds an error inside any JSON that is cut short', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (text, cut) => {
        const short = `[${text}`.slice(0, 1 + (cut % text.length));
        expect(jsonErrorOffset(short)).toBeLessThanOrEqual(short.length);
      }),
    );
  });
});
