import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { beforeAll, describe, expect, it } from 'vitest';
import { ask, CHART, fetched, FETCHING_MS, objectsOf, render, ROOT, run, VALUE_SETS } from './tools.js';

const runs = promisify(execFile);

/** Objects of other projects, by the models that are made of their definitions. */
const MODELS = { ScaledObject, PrometheusRule, ServiceMonitor };
const KUBERNETES = ['1.27', '1.31', '1.37'];

/** @param {string} text @param {string} kind @param {string} [name] */
const find = (text, kind, name) =>
  objectsOf(text).find((one) => one.kind === kind && (name === undefined || one.metadata.name === name));

const AUTOSCALED_CONFIG = JSON.stringify(
  parse(readFileSync(join(CHART, 'ci', 'autoscaled-values.yaml'), 'utf8')).config,
);

beforeAll(fetched, FETCHING_MS);

/** What restarts the pods of a rendered chart when it changes. @param {string[]} values */
async function checksum(...values) {
  const { out } = await render('minimal', ...values);
  return find(out, 'Deployment').spec.template.metadata.annotations['checksum/config'];
}

/** What docs/deploy.md has the secret hold. */
const SECRETS = { POSTGRES_PASSWORD: 'a', SERVICE_DEFAULT_APP_SECRET: 'b', MCP_TOKEN: 't'.repeat(32) };

/** What the app of a rendered pod says of the configuration and the environment it would have. @param {string} text */
async function judged(text) {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-chart-'));
  const pods = objectsOf(text).filter(({ kind }) => kind === 'Deployment' || kind === 'Job');
  const said = pods.map(async ({ spec: { template } }) => {
    const [container] = template.spec.containers;
    const { configMap } = template.spec.volumes.find((/** @type {any} */ one) => one.name === 'config');
    const file = join(folder, `${configMap.name}.json`);
    writeFileSync(file, find(text, 'ConfigMap', configMap.name).data['config.json']);
    const env = Object.fromEntries(
      container.env.map((/** @type {any} */ { name, value = 'pod-1' }) => [name, value]),
    );
    const [, app] = /carillon-([a-z-]+):/.exec(container.image) ?? [];
    const main = join(ROOT, 'apps', app, 'dist/src/main.js');
    const secret = container.envFrom === undefined ? {} : SECRETS;
    const all = { env: { PATH: process.env.PATH, ...env, ...secret } };
    return runs(process.execPath, [main, '--config', file, '--check-config'], all).then(
      () => null,
      (/** @type {any} */ { stdout, stderr }) => `${app}: ${stdout}${stderr}`,
    );
  });
  const problems = (await Promise.all(said)).filter((one) => one !== null);
  rmSync(folder, { recursive: true });
  return problems;
}

/** Every pod of a chart, by the name of its workload. @param {string[]} values */
async function pods(...values) {
  const { out } = await render('autoscaled', ...values);
  const deployments = objectsOf(out).filter(({ kind }) => kind === 'Deployment');
  for (const { spec } of deployments) {
    const [{ configMap }] = spec.template.spec.volumes;
    expect(find(out, 'ConfigMap', configMap.name)).toMatchObject({ immutable: true });
  }
  return new Map(deployments.map(({ metadata, spec }) => [metadata.name, JSON.stringify(spec.template)]));
}

describe.each(VALUE_SETS)('the chart with the values %s', (set) => {
  it('passes the linter', async () => {
    const { code, out } = await run(
      'helm',
      'lint',
      '--strict',
      CHART,
      '--values',
      join(CHART, 'ci', `${set}-values.yaml`),
    );
    expect([out, code]).toEqual([expect.stringContaining('0 chart(s) failed'), 0]);
  });

  it.each(KUBERNETES)('renders objects that Kubernetes %s takes', async (version) => {
    const { out, error } = await render(set);
    expect(error).toBe('');
    const { problems, unknown } = await ask({ do: 'judge', text: out, version });
    expect(problems).toEqual([]);
    for (const thing of unknown) {
      const Model = MODELS[/** @type {keyof typeof MODELS} */ (thing.kind)];
      expect([thing.kind, Model]).toEqual([thing.kind, expect.any(Function)]);
      expect(() => new Model(thing).validate()).not.toThrow();
    }
  });
});

it.each(VALUE_SETS)('every pod of the values %s takes its configuration', async (set) => {
  expect(await judged((await render(set)).out)).toEqual([]);
});

describe('the chart', () => {
  it.each([
    [
      'several gateways without a broker',
      null,
      'gateway.replicaCount=3',
      'needs an adapter other than local',
    ],
    [
      'a scaled gateway without a broker',
      null,
      'gateway.autoscaling.enabled=true',
      'needs an adapter other than local',
    ],
    ['an api without a broker', null, 'api.enabled=true', 'api.enabled needs an adapter'],
    [
      'a worker without a queue',
      null,
      'webhookWorker.enabled=true',
      'needs a queue that other processes can see (config.queue.driver is memory)',
    ],
    [
      'a push worker whose queue nobody else sees',
      null,
      'pushPlanner.enabled=true',
      'needs a queue that other processes can see (config.push.queue_driver is memory)',
    ],
    [
      'a push worker whose devices nobody else sees',
      'autoscaled',
      'config.push.storage_driver=memory',
      'needs a store that other processes can see (config.push.storage_driver is memory)',
    ],
    ['too little time to stop', null, 'gateway.terminationGracePeriodSeconds=44', 'must be at least 45'],
    ['a longer grace period without time', null, 'config.shutdown_grace_period=60', 'must be at least 95'],
    ['a rollout by waves from nowhere', null, 'rollout.wave=3', 'rollout.previousTag is needed'],
    ['an app without its secret', null, 'defaultApp.id=1', 'SERVICE_DEFAULT_APP_SECRET'],
  ])('refuses %s', async (_, set, value, words) => {
    const { code, error } = await render(set, value);
    expect([code, error]).toEqual([1, expect.stringContaining(words)]);
  });

  it('restarts pods when the configuration changes, and only then', async () => {
    expect(await checksum()).toBe(await checksum('gateway.resources.limits.memory=2Gi'));
    expect(await checksum()).not.toBe(await checksum('config.mode=production'));
  });

  it.each([
    ['another version', ['image.tag=1.0.0'], ['image.tag=2.0.0', 'rollout.previousTag=1.0.0']],
    [
      'another configuration',
      [],
      ['config.mode=production', 'rollout.previousTag=1', `rollout.previousConfig=${AUTOSCALED_CONFIG}`],
    ],
  ])('rolls out %s by waves, and lets those of later waves run on as they are', async (_, from, to) => {
    const before = await pods('image.tag=1', ...from);
    const order = [];
    const rest = new Set(before.keys());
    for (const wave of [1, 2, 3, 4]) {
      const after = await pods('image.tag=1', ...to, `rollout.wave=${wave}`);
      const changed = [...rest].filter((name) => after.get(name) !== before.get(name));
      for (const name of changed) rest.delete(name);
      order.push(changed.map((name) => name.replace('live-carillon-', '')).sort());
    }
    expect(order).toEqual([
      ['history-writer'],
      ['push-dispatch', 'push-feedback', 'push-planner', 'webhook-worker'],
      ['api', 'mcp-gateway'],
      ['gateway'],
    ]);
  });

  it('gives every process what the service needs of a pod', async () => {
    const { out } = await render('autoscaled');
    const deployments = objectsOf(out).filter(({ kind }) => kind === 'Deployment');
    expect(deployments).toHaveLength(8);
    for (const { spec } of deployments) {
      const [container] = spec.template.spec.containers;
      expect(spec.strategy.rollingUpdate).toEqual({ maxSurge: '25%', maxUnavailable: 0 });
      expect(container.securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
      });
      expect(container.livenessProbe.httpGet.path).toBe('/live');
      expect(container.readinessProbe.httpGet.path).toBe('/up');
      expect(container.startupProbe).toMatchObject({ periodSeconds: 5, failureThreshold: 30 });
      expect(container.env).toContainEqual({
        name: 'INSTANCE_PROCESS_ID',
        valueFrom: { fieldRef: { fieldPath: 'metadata.name' } },
      });
      expect(container.volumeMounts).toContainEqual({ name: 'tmp', mountPath: '/tmp' });
    }
  });

  it('scales gateways by sockets, event loop and memory', async () => {
    const { out } = await render('autoscaled');
    const scaler = find(out, 'HorizontalPodAutoscaler', 'live-carillon-gateway');
    const signals = scaler.spec.metrics.map(
      (/** @type {any} */ one) => one.pods?.metric.name ?? one.resource.name,
    );
    expect(signals).toEqual(['service_connected', 'service_nodejs_eventloop_utilization', 'memory']);
    const calm = {
      stabilizationWindowSeconds: 300,
      policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }],
    };
    expect(scaler.spec.behavior.scaleDown).toEqual({ ...calm });
    const api = find(out, 'HorizontalPodAutoscaler', 'live-carillon-api');
    expect(api.spec.behavior.scaleDown).toEqual({ ...calm });
  });

  it('lets nothing but clients and the signed API in from outside', async () => {
    const { out } = await render('exposed');
    const paths = find(out, 'Ingress').spec.rules[0].http.paths;
    const backends = paths.map((/** @type {any} */ one) => [one.path, one.backend.service.name]);
    expect(backends).toEqual([
      ['/app/', 'live-carillon-gateway'],
      ['/apps/[^/]+/(channels|users)(/|$)', 'live-carillon-gateway'],
      ['/apps/', 'live-carillon-api'],
    ]);
    const policy = find(out, 'NetworkPolicy');
    const [, metrics] = policy.spec.ingress;
    expect(metrics.from).toContainEqual({ podSelector: {} });
    expect(metrics.ports).toEqual([{ port: 'metrics', protocol: 'TCP' }]);
  });

  it('asks gateways alone where paths cannot tell what is about live sockets', async () => {
    const { out } = await render('exposed', 'ingress.regexPaths=false');
    const paths = find(out, 'Ingress').spec.rules[0].http.paths;
    expect(paths.map((/** @type {any} */ one) => [one.path, one.backend.service.name])).toEqual([
      ['/app/', 'live-carillon-gateway'],
      ['/apps/', 'live-carillon-gateway'],
    ]);
  });

  it('keeps one pod of many through a drain', async () => {
    const { out } = await render('fleet');
    const budgets = objectsOf(out).filter(({ kind }) => kind === 'PodDisruptionBudget');
    expect(budgets.map(({ metadata }) => metadata.name).sort()).toEqual(
      ['api', 'gateway', 'history-writer', 'webhook-worker'].map((app) => `live-carillon-${app}`),
    );
    expect(budgets.every(({ spec }) => spec.maxUnavailable === 1)).toBe(true);
  });

  it('uses every value it offers', () => {
    const templates = readdirSync(join(CHART, 'templates'))
      .map((file) => readFileSync(join(CHART, 'templates', file), 'utf8'))
      .join('\n');
    /** @param {Record<string, unknown>} tree @returns {string[]} */
    const leaves = (tree) =>
      Object.entries(tree).flatMap(([key, value]) =>
        typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
          ? leaves(/** @type {Record<string, unknown>} */ (value))
          : [key],
      );
    const values = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'));
    // Rendered as a whole: the keys inside belong to Kubernetes.
    const whole = ['podSecurityContext', 'securityContext', 'resources', 'annotations'];
    for (const name of whole) expect(templates).toContain(`.${name}`);
    const own = JSON.parse(JSON.stringify(values, (key, value) => (whole.includes(key) ? [] : value)));
    const unused = [...new Set(leaves(own))].filter((key) => !new RegExp(`\\.${key}\\b`).test(templates));
    expect(unused).toEqual([]);
  });
});
