import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CHART, fetched, FETCHING_MS, ROOT, run } from './tools.js';

const RULES = join(CHART, 'files/rules.yaml');
const TESTS = join(ROOT, 'deploy/prometheus/rules.test.yaml');

/** @type {{ alert: string }[]} */
const rules = parse(readFileSync(RULES, 'utf8')).groups.flatMap((/** @type {any} */ group) => group.rules);

beforeAll(fetched, FETCHING_MS);

describe('alerts', () => {
  it('are rules that Prometheus takes', async () => {
    const { code, out, error } = await run('promtool', 'check', 'rules', RULES);
    expect([code, error, out]).toEqual([0, '', expect.stringContaining(`${rules.length} rules found`)]);
  });

  it('fire on what they are for, not before their time, and never on a healthy installation', async () => {
    const { code, out, error } = await run('promtool', 'test', 'rules', TESTS);
    expect([code, `${out}${error}`]).toEqual([0, expect.stringContaining('SUCCESS')]);
  });

  it('are each tested', () => {
    const tested = new Set(
      parse(readFileSync(TESTS, 'utf8')).tests.map((/** @type {any} */ one) => one.name),
    );
    expect(rules.map(({ alert }) => alert).filter((name) => !tested.has(name))).toEqual([]);
  });
});
