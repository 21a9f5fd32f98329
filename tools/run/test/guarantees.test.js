import { expect, it } from 'vitest';
import { faultsOf } from '../guarantees.js';

const entryOf = (id) => (id === 'G16' ? '' : '- `a.test.ts › works`\n');
const page = (change = (text) => text) =>
  Array.from({ length: 16 }, (_, index) => `G${index + 1}`)
    .map((id) => change(`## ${id} A promise\n\nLimits: some.\n\nShown by:\n\n${entryOf(id)}\n`, id))
    .join('');
const parts = (text) => ({
  read: (path) => (path === 'a.test.ts' ? text : null),
  simulated: (core) => core === 'queue',
});
const simulated = (text) => text.replace('a.test.ts › works', 'simulate ingest/net-drop/order');
const without = (word) => page((text, id) => (id === 'G4' ? text.replace(word, '') : text));
const WORKS = "it('works', () => {});";

it('guarantees: finds no fault when every promise has limits and a test', () => {
  expect(faultsOf(page(), parts(WORKS))).toEqual([]);
});

it('guarantees: names the promise when its test was removed, renamed or skipped', () => {
  for (const text of ['', "it('works well', () => {});", "it.skip('works', () => {});"])
    expect(faultsOf(page(), parts(text))[0]).toMatch(/^G1: a\.test\.ts › works: test/);
});

it('guarantees: names the promise when it has no entry, no limits or no section', () => {
  expect(faultsOf(without('- `a.test.ts › works`'), parts(WORKS))).toEqual([
    'G4: names no test under "Shown by:"',
  ]);
  expect(faultsOf(without('Limits: some.'), parts(WORKS))).toEqual(['G4: has no limits']);
  expect(faultsOf(without('## G4'), parts(WORKS))).toEqual(['G4: section is missing']);
});

it('guarantees: names the promise when the simulator has no such core', () => {
  expect(faultsOf(page(simulated), parts(WORKS))[0]).toMatch(/^G1: simulate ingest/);
});
