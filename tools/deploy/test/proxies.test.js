// Each proxy example as it is, but for addresses: sockets, the signed API, and nothing else from outside.
import { freePort, SpawnedNode, spawnNode } from '@carillon/testing';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Pusher from 'pusher';
import PusherClient from 'pusher-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, fetched, FETCHING_MS, ROOT } from './tools.js';

const APP = { id: '1', key: 'proxied-key', secret: 'proxied-secret' };
const MAIN = join(ROOT, 'apps/server/dist/src/main.js');

/** How each proxy is started with a file, and kept from leaving traces. @type {Record<string, { file: string, args: (file: string, folder: string) => string[] }>} */
const PROXIES = {
  nginx: {
    file: 'nginx.conf',
    args: (file, folder) => [
      '-c',
      file,
      '-p',
      folder,
      '-e',
      'stderr',
      '-g',
      `daemon off; pid ${folder}/pid;`,
    ],
  },
  caddy: { file: 'Caddyfile', args: (file) => ['run', '--adapter', 'caddyfile', '--config', file] },
  haproxy: { file: 'haproxy.cfg', args: (file) => ['-db', '-f', file] },
  envoy: {
    file: 'envoy.yaml',
    args: (file) => ['--config-path', file, '--log-level', 'error', '--disable-hot-restart'],
  },
};

/** The example with addresses of this machine. @param {string} text @param {number} port @param {number} service */
function onThisMachine(text, port, service) {
  return text
    .replaceAll(/\b(gateway-1|gateway-2|api):6001/g, `127.0.0.1:${service}`)
    .replaceAll(
      /address: (gateway-1|gateway-2|api), port_value: 6001/g,
      `address: 127.0.0.1, port_value: ${service}`,
    )
    .replace('listen 6001', `listen 127.0.0.1:${port}`)
    .replace('bind :6001', `bind 127.0.0.1:${port}`)
    .replace(':6001 {', `http://127.0.0.1:${port} {`)
    .replace('address: 0.0.0.0, port_value: 6001', `address: 127.0.0.1, port_value: ${port}`)
    .replace('worker_rlimit_nofile 262144;', '')
    .replace('worker_connections 65536', 'worker_connections 512')
    .replace('maxconn 65536', 'maxconn 512');
}

/** @param {string} url */
async function answering(url) {
  for (let attempt = 0; ; attempt += 1) {
    const answer = await fetch(url).catch(() => null);
    if (answer !== null) return answer;
    if (attempt > 200) throw new Error(`${url} does not answer`);
    await new Promise((later) => void setTimeout(later, 50));
  }
}

describe('a proxy of the examples', () => {
  /** @type {SpawnedNode} */
  let service;
  let servicePort = 0;
  const folder = mkdtempSync(join(tmpdir(), 'carillon-proxies-'));

  beforeAll(async () => {
    await fetched();
    service = spawnNode(MAIN, [], {
      ENVIRONMENT: 'test',
      HOST: '127.0.0.1',
      PORT: '0',
      METRICS_HOST: '127.0.0.1',
      METRICS_PORT: '0',
      SHUTDOWN_GRACE_PERIOD: '0',
      SERVICE_DEFAULT_APP_ID: APP.id,
      SERVICE_DEFAULT_APP_KEY: APP.key,
      SERVICE_DEFAULT_APP_SECRET: APP.secret,
    });
    servicePort = Number((await service.says(/listening=http:\/\/[^ ]*?:(\d+)/))[1]);
  }, FETCHING_MS);

  afterAll(async () => {
    await service.kill();
    rmSync(folder, { recursive: true });
  });

  it.each(Object.entries(PROXIES))(
    'lets clients and the API through, and nothing else: %s',
    async (name, { file, args }) => {
      const port = await freePort();
      const path = join(folder, file);
      const example = readFileSync(join(ROOT, 'deploy/proxies', file), 'utf8');
      writeFileSync(path, onThisMachine(example, port, servicePort));
      const { path: program } = await ask({ do: 'where', program: name });
      const proxy = new SpawnedNode(spawn(program, args(path, folder), { cwd: folder }));
      try {
        const hidden = await Promise.all(
          ['/up', '/metrics', '/usage'].map((one) => answering(`http://127.0.0.1:${port}${one}`)),
        );
        expect(hidden.map(({ status }) => status)).toEqual([404, 404, 404]);

        const client = new PusherClient(APP.key, {
          cluster: '',
          wsHost: '127.0.0.1',
          wsPort: port,
          forceTLS: false,
          enabledTransports: ['ws'],
          disableStats: true,
        });
        const channel = client.subscribe('news');
        const heard = new Promise((done) => void channel.bind('headline', done));
        await new Promise((done) => void channel.bind('pusher:subscription_succeeded', done));
        const backend = new Pusher({
          appId: APP.id,
          key: APP.key,
          secret: APP.secret,
          host: '127.0.0.1',
          port: String(port),
          useTLS: false,
        });
        // Larger than what proxies buffer in memory by default.
        const batch = Array.from({ length: 5 }, () => ({
          channel: 'other',
          name: 'filler',
          data: 'x'.repeat(9000),
        }));
        await backend.triggerBatch([...batch, { channel: 'news', name: 'headline', data: 'through' }]);
        expect(await heard).toBe('through');
        const state = await backend.get({ path: '/channels/news', params: { info: 'subscription_count' } });
        expect(await state.json()).toMatchObject({ occupied: true });
        client.disconnect();
      } finally {
        await proxy.kill();
      }
      expect(proxy.output).not.toMatch(/error|emerg|alert/i);
    },
  );
});
