// What the bench of push runs on: a PostgreSQL and a Redis of its own, stand-ins for clouds, and the deployables.
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configure } from '@carillon/config';
import { Databases } from '@carillon/database';
import { engine } from '@carillon/test-backends';
import { generateVapidKeys } from '@carillon/push-providers';
import { createParts } from '@carillon/runtime';
import { prepareSigningKey, signRequest } from '@carillon/auth';
import { spawnNode } from '@carillon/testing';
import { remember } from '../../control/children.js';
import { BenchError } from '../../settings/bench-error.js';
import { postgresEnv, processEnv } from '../../settings/process-env.js';

const KEY = { appId: 'bench', key: 'bench-key', secret: 'bench-secret' };
const READY = /"listening":"http:\/\/[^"]*?:(\d+)","metrics":"(http:[^"]+)"/;
const ROOM = 'bench';
const PROJECT = 'a-project';

const mainOf = (/** @type {string} */ app) =>
  fileURLToPath(new URL(`../../../../../apps/${app}/dist/src/main.js`, import.meta.url));

/** @typedef {Awaited<ReturnType<typeof openFleet>>} Fleet */
/** @typedef {Awaited<ReturnType<Fleet['start']>>} Started */

export async function openFleet() {
  const [postgres, redis, clouds] = await Promise.all([
    engine('postgres', { own: true }),
    engine('redis', { own: true }),
    engine('push-clouds', { own: true }),
  ]);
  const folder = mkdtempSync(join(tmpdir(), 'carillon-bench-'));
  const say = async (/** @type {object} */ command) => {
    const answer = await fetch(clouds.url, {
      method: 'POST',
      body: JSON.stringify({ room: ROOM, ...command }),
    });
    if (!answer.ok) throw new BenchError(await answer.text());
    return /** @type {Promise<any>} */ (answer.json());
  };
  await say({ do: 'make' });
  const { origin, authority } = await say({ do: 'about' });
  const certificate = join(folder, 'authority.pem');
  writeFileSync(certificate, authority);
  const stores = {
    ...postgresEnv(postgres.url),
    PUSH_STORAGE_DRIVER: 'postgres',
  };
  const env = {
    ...stores,
    ...processEnv(KEY),
    RATE_LIMITER_ENABLED: 'false',
    REDIS_URL: redis.url,
    ADAPTER_DRIVER: 'redis',
    CACHE_DRIVER: 'redis',
    NODE_EXTRA_CA_CERTS: certificate,
    PUSH_QUEUE_DRIVER: 'redis',
    PUSH_FCM_ENABLED: 'true',
    PUSH_WEBPUSH_ENABLED: 'true',
    PUSH_ALLOW_LOCAL_WEB_PUSH_ENDPOINTS: 'true',
    PUSH_CREDENTIAL_ENCRYPTION_KEY: 'a master key of the bench',
    PUSH_BACKPRESSURE_LAG_THRESHOLD_SECS: '0',
    FCM_ENDPOINT: `${origin}/${ROOM}/fcm`,
  };
  const database = new Databases(createParts(configured(stores))).apart('postgres', {
    waiting: 100,
    statementMs: 120_000,
    // What the bench asks for names no schema.
    setup: ['set search_path = service, public'],
  });
  /** @type {Set<import('@carillon/testing').SpawnedNode>} */
  const running = new Set();
  return {
    origin,
    say,
    sql: database,
    cloudsPid: clouds.nodes[0]?.pid ?? 0,
    databasePid: postgres.nodes[0]?.pid ?? 0,
    /** @param {string} app */
    async start(app) {
      const node = spawnNode(mainOf(app), [], env);
      remember(node.child, () => node.child.kill('SIGKILL'));
      running.add(node);
      const [, listening, metrics = ''] = await node.says(READY);
      return {
        port: Number(listening),
        metrics,
        pid: node.child.pid ?? 0,
        /** Holds it still, or lets it go on. @param {boolean} still */
        hold: (still) => void node.child.kill(still ? 'SIGSTOP' : 'SIGCONT'),
      };
    },
    close: async () => {
      await Promise.all([...running].map((node) => node.kill('SIGKILL')));
      await database.close();
      await Promise.all([postgres.release(), redis.release(), clouds.release()]);
      rmSync(folder, { recursive: true });
    },
  };
}

/** @param {Record<string, string>} env */
function configured(env) {
  const outcome = configure({
    process: 'push-planner',
    argv: [],
    env: { ENVIRONMENT: 'test', RUST_LOG: 'off', ...env, PUSH_QUEUE_DRIVER: 'redis' },
    cwd: '/nowhere',
    files: { exists: () => false, read: () => '' },
  });
  if (outcome.kind === 'exit') throw new BenchError(outcome.stderr);
  return outcome.config;
}

/** Asks the routes of push. @param {number} port */
export function apiAt(port) {
  const key = prepareSigningKey(KEY);
  /** @type {(method: 'GET' | 'POST', below: string, content?: object) => Promise<any>} */
  return async (method, below, content) => {
    const rawPath = `/apps/${KEY.appId}/push${below}`;
    const body = content === undefined ? '' : JSON.stringify(content);
    const query = signRequest({ method, rawPath, query: {}, body }, key, Math.floor(Date.now() / 1000));
    const asked = { method, ...(content === undefined ? {} : { body }) };
    const answer = await fetch(`http://127.0.0.1:${port}${rawPath}?${query}`, asked);
    const text = await answer.text();
    if (!answer.ok) throw new BenchError(`${method} ${below}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
}

/** Credentials for both clouds, and the keys of the one browser that all subscriptions have. @param {Fleet} fleet @param {ReturnType<typeof apiAt>} api */
export async function giveCredentials({ say }, api) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await say({ do: 'trust', cloud: 'fcm', key: publicKey.export({ format: 'pem', type: 'spki' }) });
  await api('POST', '/credentials/fcm', {
    serviceAccountJson: {
      client_email: `sender@${PROJECT}.example`,
      private_key: privateKey.export({ format: 'pem', type: 'pkcs8' }),
      project_id: PROJECT,
    },
  });
  const { publicKey: applicationServerKey, privateKey: signingKey } = await generateVapidKeys();
  const { p256dh, auth } = await say({ do: 'subscribe', token: '*', applicationServerKey });
  await api('POST', '/credentials/webpush', {
    publicKey: applicationServerKey,
    privateKey: signingKey,
    subject: 'mailto:ops@bench.example',
  });
  return { p256dh, auth };
}

export const APP_ID = KEY.appId;
/** Below which the clouds are. @param {Fleet} fleet */
export const cloudsOf = ({ origin }) => `${origin}/${ROOM}`;
