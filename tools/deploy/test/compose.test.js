import { engine } from '@carillon/test-backends';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { FETCHING_MS, ROOT } from './tools.js';

const SECRETS = { POSTGRES_PASSWORD: 'a', SERVICE_DEFAULT_APP_SECRET: 'b', GRAFANA_PASSWORD: 'c' };
const DOCKERFILE = readFileSync(join(ROOT, 'deploy/docker/Dockerfile'), 'utf8');

/** @param {string} file @param {Record<string, string>} env */
async function load(file, env) {
  const { url } = await engine('compose-go');
  const question = { do: 'load', path: join(ROOT, 'deploy/compose', file), env };
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(question) });
  return { ok: answer.ok, project: await answer.json() };
}

beforeAll(() => engine('compose-go'), FETCHING_MS);

describe.each(['compose.yaml', 'minimal.yaml'])('%s', (file) => {
  it('is a project that compose takes, of files and image targets that exist', async () => {
    const { ok, project } = await load(file, SECRETS);
    expect([ok, project.error]).toEqual([true, undefined]);
    for (const [name, service] of Object.entries(project.services)) {
      for (const { type, source } of service.volumes ?? []) {
        if (type === 'bind') expect([name, source, existsSync(source)]).toEqual([name, source, true]);
      }
      if (service.build === undefined) continue;
      // A new volume belongs to whom the folder of the image belongs.
      for (const { type, target } of service.volumes ?? []) {
        if (type === 'volume') expect(DOCKERFILE).toContain(`chown 1000:1000 ${target}\n`);
      }
      expect(DOCKERFILE).toContain(`AS ${service.build.target}\n`);
      expect([name, service.read_only, service.stop_grace_period]).toEqual([name, true, '45s']);
      expect(service.ulimits.nofile.single ?? service.ulimits.nofile).toBe(262_144);
    }
  });

  it('does not start without its secrets', async () => {
    const { ok, project } = await load(file, {});
    expect([ok, project.error]).toEqual([false, expect.stringContaining('set ')]);
  });
});

it('Prometheus scrapes every process of the compose fleet', async () => {
  const { project } = await load('compose.yaml', SECRETS);
  const services = Object.entries(project.services).filter(([, { build }]) => build !== undefined);
  const [{ static_configs: configs }] = parse(
    readFileSync(join(ROOT, 'deploy/prometheus/prometheus.yaml'), 'utf8'),
  ).scrape_configs;
  expect(configs[0].targets.toSorted()).toEqual(services.map(([name]) => `${name}:9601`).toSorted());
});

describe('the configuration of the compose fleet', () => {
  const env = {
    PATH: process.env.PATH,
    ...SECRETS,
    SERVICE_DEFAULT_APP_ID: '1',
    SERVICE_DEFAULT_APP_KEY: 'key',
    SERVICE_DEFAULT_APP_SECRET: 'secret',
  };
  /** What the environment of one process has besides. */
  const OWN = {
    api: { SERVICE_SERVER_ROLE: 'api' },
    ingest: {
      INGEST_SOURCES_JSON:
        '[{"name":"orders","type":"postgres","app":"1","url":"postgres://reader@db/shop"}]',
    },
    'mcp-gateway': { SERVICE_SERVER_ROLE: 'api', MCP_ENABLED: 'true', MCP_TOKEN: 't'.repeat(32) },
  };
  const apps = readdirSync(join(ROOT, 'apps')).filter((app) => app !== 'cli' && app !== 'server');

  it.each(apps)('is one file that %s takes', (app) => {
    const own = OWN[/** @type {keyof typeof OWN} */ (app)] ?? {};
    const main = join(ROOT, 'apps', app, 'dist/src/main.js');
    const file = join(ROOT, 'deploy/compose/carillon.toml');
    const said = execFileSync(process.execPath, [main, '--config', file, '--check-config'], {
      env: { ...env, ...own },
      encoding: 'utf8',
    });
    expect(said).toContain('configuration OK');
  });
});
