import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { engine } from '@carillon/test-backends';
import { expect, it, onTestFinished, vi } from 'vitest';
import { scriptFile } from '../src/index.js';
import { openLink, to } from './settings.js';

/** A folder of scripts, with `/` at the end of its address. */
function folderOf(files: Readonly<Record<string, string>>): URL {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-scripts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.lua`), text);
  return pathToFileURL(`${folder}/`);
}

it('keys, arguments, groups, lists, constants and what is used have names in a script', async () => {
  const folder = folderOf({
    double: 'local function double(text) return 2 * tonumber(text) end',
    sum: `-- Adds up.
--uses: double
--keys: target
--numbers: factor
--args: start
--group: name, amount
local total = factor * double(start)
local names = {}
for at = 0, group_count() - 1 do
  local name, amount = group(at)
  names[#names + 1] = name
  total = total + amount
end
return { target, total, table.concat(names, '+'), WORD, group_count() }`,
    list: '--args: first\n--rest: others\nreturn { first, #others, others[2] }',
  });
  const { url } = await engine('redis');
  const { link } = await openLink({ target: to(url) });
  onTestFinished(() => link.close());
  await vi.waitFor(() => link.call('ping'), { timeout: 10_000, interval: 20 });
  const sum = scriptFile(folder, 'sum', { WORD: 'word' });
  expect(await link.call('eval', sum.lua, 1, 'key', 2, 3, 'a', 1, 'b', 2)).toEqual([
    'key',
    15,
    'a+b',
    'word',
    2,
  ]);
  expect(sum).toMatchObject({ keys: ['target'], numbers: ['factor'] });
  expect(await link.call('script', 'load', sum.lua)).toBe(sum.sha1);
  const list = scriptFile(folder, 'list');
  expect(await link.call('eval', list.lua, 0, 'x', 'y', 'z')).toEqual(['x', 2, 'z']);
});

it('a constant holds nothing that a script could mean otherwise', () => {
  const folder = folderOf({ any: 'return 1' });
  expect(() => scriptFile(folder, 'any', { WORD: "it's" })).toThrow('no word of a script');
});
