import { engine } from '@carillon/test-backends';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';

export const ROOT = resolve(import.meta.dirname, '../../..');
export const CHART = join(ROOT, 'deploy/helm/carillon');

/** The value sets of the chart, by name. */
export const VALUE_SETS = readdirSync(join(CHART, 'ci')).map((file) => file.replace('-values.yaml', ''));

/** Time to fetch the tools where they are not there yet. */
export const FETCHING_MS = 300_000;
export const fetched = () => engine('deploy-tools');

/** Asks the program that drives the tools. @param {Record<string, unknown>} question */
export async function ask(question) {
  const { url } = await engine('deploy-tools');
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(question) });
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.error);
  return said;
}

/** What a command line says, and its exit code. @param {'helm' | 'hadolint' | 'promtool'} program @param {string[]} args */
export const run = (program, ...args) => ask({ do: program, args, folder: ROOT });

/** The chart as helm renders it with a value set and single values. @param {string | null} set @param {string[]} values */
export async function render(set, ...values) {
  const file = set === null ? [] : ['--values', join(CHART, 'ci', `${set}-values.yaml`)];
  const single = values.flatMap((value) => [value.includes('={') ? '--set-json' : '--set', value]);
  return run('helm', 'template', 'live', CHART, '--namespace', 'realtime', ...file, ...single);
}

/** The objects in what helm rendered. @param {string} text */
export const objectsOf = (text) =>
  parseAllDocuments(text)
    .map((document) => document.toJS())
    .filter((thing) => thing !== null);
