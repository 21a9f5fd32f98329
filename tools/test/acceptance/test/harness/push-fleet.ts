import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Databases, type Database } from '@carillon/database';
import { engine, type EngineHandle } from '@carillon/test-backends';
import { generateVapidKeys } from '@carillon/push-providers';
import { createParts } from '@carillon/runtime';
import { configuration } from '@carillon/testing';
import { eventually } from './eventually.js';
import { Node, type ProcessName } from './node.js';
import { signedQuery } from './signatures.js';
import { tenant } from './tenant.js';

export const WORKERS = ['push-planner', 'push-dispatch', 'push-feedback'] as const;
export type WorkerName = (typeof WORKERS)[number];

const SHOP = tenant('shop');
const PROJECT = 'a-project';

interface Arrived {
  readonly token: string;
  /** 0: it was not answered. */
  readonly status: number;
}

/** Of a browser's subscription. */
interface Keys {
  readonly p256dh: string;
  readonly auth: string;
}

/** How often the clouds heard of a device, and how often they answered that it is well. */
export interface Told {
  readonly heard: number;
  readonly answered: number;
}

/** An api node and push workers, each a process of its own, over PostgreSQL and Redis, with stand-ins for clouds. */
export class PushFleet {
  readonly #ends: (() => Promise<unknown> | void)[] = [];
  readonly #nodes = new Map<ProcessName, Node>();
  #env: Readonly<Record<string, string>> = {};
  #say: (command: object) => Promise<unknown> = () => Promise.reject(new Error('not open'));
  #database: Database | undefined;
  #origin = '';
  #keys: Keys = { p256dh: '', auth: '' };
  readonly #room = `r${randomBytes(6).toString('hex')}`;

  private constructor(
    readonly redis: EngineHandle,
    readonly postgres: EngineHandle,
  ) {}

  /** `own`: engines that nobody else has, which may be killed; the database keeps what it answered. */
  static async open(env: Readonly<Record<string, string>> = {}, own = false): Promise<PushFleet> {
    const [redis, postgres] = await Promise.all([
      engine('redis', own ? { own } : {}),
      engine('postgres', own ? { own, durable: true } : {}),
    ]);
    const fleet = new PushFleet(redis, postgres);
    if (own) fleet.#ends.push(() => Promise.all([redis.release(), postgres.release()]));
    await fleet.#prepare(env);
    return fleet;
  }

  async #prepare(env: Readonly<Record<string, string>>): Promise<void> {
    const corner = await this.postgres.isolate();
    this.#ends.push(() => corner.end());
    const { hostname, port, username, password, pathname } = new URL(corner.url);
    const stores = {
      DATABASE_POSTGRES_HOST: hostname,
      DATABASE_POSTGRES_PORT: port,
      DATABASE_POSTGRES_USERNAME: decodeURIComponent(username),
      DATABASE_POSTGRES_PASSWORD: decodeURIComponent(password),
      DATABASE_POSTGRES_DATABASE: pathname.slice(1),
    };
    this.#database = new Databases(createParts(configuration({ RUST_LOG: 'off', ...stores }))).apart(
      'postgres',
      // What tests ask for names no schema.
      { waiting: 100, statementMs: 5000, setup: ['set search_path = service, public'] },
    );
    await this.#database.connect();
    const { authority, origin } = await this.#openClouds();
    this.#origin = origin;
    const folder = mkdtempSync(join(tmpdir(), 'carillon-push-'));
    this.#ends.push(() => rmSync(folder, { recursive: true }));
    const certificate = join(folder, 'authority.pem');
    writeFileSync(certificate, authority);
    const prefix = `t-${this.#room}`;
    this.#env = {
      ...stores,
      REDIS_URL: this.redis.url,
      ADAPTER_DRIVER: 'redis',
      CACHE_DRIVER: 'redis',
      DATABASE_REDIS_KEY_PREFIX: prefix,
      QUEUE_REDIS_PREFIX: prefix,
      QUEUE_LEASE_DURATION_MS: '1500',
      QUEUE_LEASE_RENEW_INTERVAL_MS: '300',
      SHUTDOWN_GRACE_PERIOD: '5',
      DRAIN_DELAY_MS: '0',
      NODE_EXTRA_CA_CERTS: certificate,
      PUSH_STORAGE_DRIVER: 'postgres',
      PUSH_QUEUE_DRIVER: 'redis',
      PUSH_FCM_ENABLED: 'true',
      PUSH_WEBPUSH_ENABLED: 'true',
      PUSH_ALLOW_LOCAL_WEB_PUSH_ENDPOINTS: 'true',
      PUSH_CREDENTIAL_ENCRYPTION_KEY: 'a master key of the acceptance tests',
      FCM_ENDPOINT: `${origin}/${this.#room}/fcm`,
      ...env,
    };
  }

  async #openClouds(): Promise<{ readonly authority: string; readonly origin: string }> {
    const { url } = await engine('push-clouds');
    this.#say = async (command) => {
      const body = JSON.stringify({ room: this.#room, ...command });
      const answer = await fetch(url, { method: 'POST', body });
      if (!answer.ok) throw new Error(await answer.text());
      return answer.json();
    };
    await this.#say({ do: 'make' });
    return (await this.#say({ do: 'about' })) as { authority: string; origin: string };
  }

  node(app: ProcessName): Node {
    const node = this.#nodes.get(app);
    if (node === undefined) throw new Error(`${app} does not run`);
    return node;
  }

  /** Starts it, also again after it was killed. */
  async start(app: ProcessName): Promise<Node> {
    const node = new Node(app, { tenants: [SHOP], env: this.#env });
    this.#nodes.set(app, node);
    await node.start();
    return node;
  }

  /** Starts all of them, and gives the app its credentials. */
  async startAll(): Promise<void> {
    await Promise.all([...WORKERS, 'api' as const].map((app) => this.start(app)));
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    await this.#say({
      do: 'trust',
      cloud: 'fcm',
      key: publicKey.export({ format: 'pem', type: 'spki' }),
    });
    const { publicKey: applicationServerKey, privateKey: signingKey } = await generateVapidKeys();
    this.#keys = (await this.#say({ do: 'subscribe', applicationServerKey })) as Keys;
    await this.ask('POST', '/credentials/fcm', {
      serviceAccountJson: {
        client_email: `sender@${PROJECT}.example`,
        private_key: privateKey.export({ format: 'pem', type: 'pkcs8' }),
        project_id: PROJECT,
      },
    });
    await this.ask('POST', '/credentials/webpush', {
      publicKey: applicationServerKey,
      privateKey: signingKey,
      subject: 'mailto:ops@shop.example',
    });
  }

  /** A device and its subscription to the channel; the clouds know it by its id. `address`: a channel that is its own. */
  async register(
    deviceId: string,
    channel: string,
    transportType: 'gcm' | 'realtime' | 'web',
    address = '',
  ): Promise<void> {
    const { p256dh, auth } = this.#keys;
    const endpoint = `${this.#origin}/${this.#room}/webpush/${deviceId}`;
    const addresses = {
      gcm: { registrationToken: deviceId },
      realtime: { channel: address },
      web: { endpoint, p256dh, auth },
    };
    const recipient = { transportType, ...addresses[transportType] };
    await this.ask('POST', '/deviceRegistrations', {
      id: deviceId,
      formFactor: 'phone',
      platform: transportType === 'web' ? 'browser' : 'android',
      timezone: 'Europe/Madrid',
      locale: 'es-ES',
      push: { recipient },
    });
    await this.ask('POST', '/channelSubscriptions', { channel, deviceId });
  }

  /** A push to the channel that is accepted, however long that takes. */
  async publish(publishId: string, channel: string): Promise<void> {
    const body = {
      publishId,
      recipients: [{ type: 'channel', channel }],
      payload: { title: 'Hi', body: 'There' },
    };
    await eventually(() => this.ask('POST', '/publish', body), 30_000);
  }

  status(publishId: string): Promise<Readonly<Record<string, unknown>>> {
    return this.ask('GET', `/publish/${publishId}/status`);
  }

  async ask(method: string, below: string, body?: object): Promise<Readonly<Record<string, unknown>>> {
    const path = `/apps/${SHOP.id}/push${below}`;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const query = signedQuery(SHOP, method, path, {}, text);
    const answer = await fetch(`http://127.0.0.1:${this.node('api').port}${path}?${query}`, {
      method,
      ...(text === undefined ? {} : { body: text }),
    });
    const said = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${below}: HTTP ${answer.status} ${said}`);
    return JSON.parse(said === '' ? '{}' : said) as Record<string, unknown>;
  }

  /** How a cloud answers from now on, so many times. */
  async answers(cloud: 'fcm' | 'webpush', answer: object, times: number, token = '*'): Promise<void> {
    await this.#say({ do: 'answer', cloud, answer, times, token });
  }

  /** What the clouds heard before counts no more: they keep so much and nothing after it. */
  async forgetTold(): Promise<void> {
    await this.#say({ do: 'forget-arrived' });
  }

  /** What the clouds heard, by device. */
  async told(): Promise<ReadonlyMap<string, Told>> {
    const told = new Map<string, Told>();
    for (const cloud of ['fcm', 'webpush']) {
      const { arrived } = (await this.#say({ do: 'arrived', cloud })) as { arrived: readonly Arrived[] };
      for (const { token, status } of arrived) {
        const { heard, answered } = told.get(token) ?? { heard: 0, answered: 0 };
        const isWell = status >= 200 && status < 300;
        told.set(token, { heard: heard + 1, answered: answered + (isWell ? 1 : 0) });
      }
    }
    return told;
  }

  /** Whoever writes to the table meanwhile waits; `work` is told when somebody does. */
  async holding(table: string, work: (somebodyWaits: () => Promise<void>) => Promise<void>): Promise<void> {
    const waits = (): Promise<void> =>
      eventually(async () => {
        const waiting = await this.rows(
          `select 1 from pg_locks where not granted and relation = '${table}'::regclass`,
        );
        if (waiting.length === 0) throw new Error(`nobody waits to write ${table}`);
      }, 15_000);
    await this.#open.transaction(async (session) => {
      await session.query(`lock table ${table} in share row exclusive mode`);
      await work(waits);
    });
  }

  /** What a minute does to leases. */
  async minutePasses(): Promise<void> {
    await this.rows(
      `update push_deliveries set lease_until_ms = lease_until_ms - 60000 where state = 'sending'`,
    );
    await this.rows('update push_locks set expires_ms = expires_ms - 60000');
  }

  /** What many minutes do to work that nobody has touched for some seconds. */
  async minutesPass(idleMs = 4000): Promise<void> {
    const before = Date.now() - idleMs;
    await this.rows(`update push_deliveries set updated_ms = updated_ms - 660000,
      lease_until_ms = lease_until_ms - 660000
      where state <> 'done' and updated_ms between ${before - 300_000} and ${before}`);
    await this.rows(`update push_publishes set updated_ms = updated_ms - 660000
      where state in ('planning', 'dispatching', 'throttled') and not planning_complete
        and updated_ms between ${before - 300_000} and ${before}`);
    await this.rows(`update push_locks set expires_ms = expires_ms - 60000
      where expires_ms < ${before + 30_000}`);
  }

  /** Kills a worker or an engine, and starts it again after so long. */
  async kill(what: WorkerName | 'database' | 'redis', awayMs = 0): Promise<void> {
    const away = (): Promise<void> => new Promise((later) => void setTimeout(later, awayMs));
    if (what !== 'database' && what !== 'redis') {
      await this.node(what).process.kill('SIGKILL');
      await away();
      await this.start(what);
      return;
    }
    const handle = what === 'redis' ? this.redis : this.postgres;
    await handle.kill();
    await away();
    // The system may take a moment to forget the process that was killed.
    await eventually(() => handle.restart(), 20_000);
  }

  async rows(text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return (await this.#open.query(text)).rows;
  }

  get #open(): Database {
    if (this.#database === undefined) throw new Error('not open');
    return this.#database;
  }

  async close(): Promise<void> {
    for (const node of this.#nodes.values()) await node.process.kill();
    await this.#database?.close();
    for (const end of this.#ends.toReversed()) await end();
  }
}
