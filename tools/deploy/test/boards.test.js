import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHART, fetched, FETCHING_MS, render, ROOT, run } from './tools.js';

const BOARDS = join(ROOT, 'deploy/grafana/boards');
const METRICS = readFileSync(join(ROOT, 'docs/reference/metrics.md'), 'utf8');

/** Every question of every board. */
const questions = readdirSync(BOARDS).flatMap((file) =>
  JSON.parse(readFileSync(join(BOARDS, file), 'utf8')).panels.flatMap((/** @type {any} */ panel) =>
    panel.targets.map((/** @type {{ expr: string }} */ { expr }) => expr),
  ),
);

/** The names of metrics in a text; those of a histogram's parts are its own. @param {string} text */
const metricsIn = (text) =>
  [...new Set(text.match(/\b(?:service|process)_[a-z0-9_]+/g))].map((name) =>
    METRICS.includes(`\`${name}\``) ? name : name.replace(/_(?:bucket|sum|count)$/, ''),
  );

describe('metrics that are asked for', () => {
  beforeAll(fetched, FETCHING_MS);

  it.each([
    ['boards', async () => questions.join('\n')],
    ['alerts', async () => readFileSync(join(CHART, 'files/rules.yaml'), 'utf8')],
    ['autoscalers', async () => (await render('autoscaled')).out],
  ])('by %s exist', async (_, text) => {
    const names = metricsIn(await text());
    expect(names.length).toBeGreaterThan(2);
    expect(names.filter((name) => !METRICS.includes(`\`${name}\``))).toEqual([]);
  });

  it('by boards are asked for in words that Prometheus understands', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'carillon-boards-'));
    const rules = questions.map((expr, index) => ({
      record: `board:${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }));
    const file = join(folder, 'rules.yaml');
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'boards', rules }] }));
    const { code, error } = await run('promtool', 'check', 'rules', file);
    rmSync(folder, { recursive: true });
    expect([code, error]).toEqual([0, '']);
  });

  it('by boards are those of the table the boards are made from', () => {
    execFileSync(process.execPath, [join(ROOT, 'deploy/grafana/make-boards.js'), '--check']);
  });
});
