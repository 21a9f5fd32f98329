// Checks docs/guarantees.md: every promise names its limits, and tests that exist and are not skipped.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './workspace.js';

/** Number of promises. The last one lists what is not promised, and has no test. */
const PROMISES = 16;
const CASE = /\b(?:it|test)(\.[\w.]+)?(?:\([^()]*\))?\(\s*(['"`])((?:(?!\2).)*)\2/g;

/** Returns the faults of the page, each beginning with its promise. */
export function faultsOf(page, { read, simulated }) {
  const sections = new Map(
    page
      .split(/^## /m)
      .filter((section) => /^G\d+ /.test(section))
      .map((section) => [section.split(' ', 1)[0], section]),
  );
  const faults = [];
  for (let number = 1; number <= PROMISES; number += 1) {
    const id = `G${number}`;
    const section = sections.get(id);
    if (section === undefined) faults.push(`${id}: section is missing`);
    else faults.push(...faultsOfSection(id, section, number === PROMISES, { read, simulated }));
  }
  return faults;
}

function faultsOfSection(id, section, isUntested, parts) {
  const faults = [];
  if (!/^Limits: ?\S|^Limits:\n\n- \S/m.test(section)) faults.push(`${id}: has no limits`);
  const shown = section.slice(section.indexOf('Shown by:'));
  const entries = [...shown.matchAll(/^- `([^`]+)`$/gm)].map(([, entry]) => entry);
  if (!section.includes('Shown by:') || (entries.length === 0 && !isUntested))
    faults.push(`${id}: names no test under "Shown by:"`);
  for (const entry of entries) {
    const fault = entry.startsWith('simulate ') ? simulationFault(entry, parts) : testFault(entry, parts);
    if (fault !== null) faults.push(`${id}: ${entry}: ${fault}`);
  }
  return faults;
}

function simulationFault(entry, { simulated }) {
  const [core, fault, invariant] = entry.slice('simulate '.length).split('/');
  return simulated(core, fault, invariant)
    ? null
    : 'this core, fault and invariant are not simulated together';
}

function testFault(entry, { read }) {
  const [path, title] = entry.split(' › ');
  const text = read(path);
  if (text === null) return 'file does not exist';
  const found = [...text.matchAll(CASE)].find(([, , , name]) => name === title);
  if (found === undefined) return 'test does not exist';
  return /skip|todo/.test(found[1] ?? '') ? 'test is skipped' : null;
}

const read = (path) => {
  const file = join(root, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { isSimulated } = await import('@carillon/simulator');
  const faults = faultsOf(read('docs/guarantees.md') ?? '', { read, simulated: isSimulated });
  for (const fault of faults) console.error(`docs/guarantees.md: ${fault}`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
