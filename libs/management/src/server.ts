import type { AppRegistry } from '@carillon/app-registry';
import type { Cache } from '@carillon/cache';
import type { Config } from '@carillon/config';
import type { Databases } from '@carillon/database';
import type { Fleet } from '@carillon/fleet-state';
import type { Operations } from '@carillon/api-operations';
import type { PushOperations } from '@carillon/push-core';
import type { Queue } from '@carillon/queue';
import type { RateLimit } from '@carillon/rate-limit';
import { type Logger, type Metrics, type ProcessState, serviceVersion } from '@carillon/runtime';
import type { Endpoint } from '@carillon/uws';
import { AuditLog } from './audit/audit-log.js';
import { openAuditStore } from './audit/open-store.js';
import { Limits } from './auth/limits.js';
import { OneTimeLogin } from './auth/one-time.js';
import { Principals } from './auth/principals.js';
import { Sessions } from './auth/sessions.js';
import { managementDocument } from './document/openapi.js';
import { ManagementEndpoint } from './http/endpoint.js';
import { Meter } from './meter.js';
import type { ManagementParts } from './parts.js';
import { ROUTES } from './routes/table.js';

export interface ManagementServerParts {
  readonly config: Config;
  readonly apps: AppRegistry;
  readonly cache: Cache;
  readonly fleet: Fleet;
  readonly rateLimit: RateLimit;
  readonly databases: Databases;
  readonly operations: Operations;
  /** Absent: this process has no push, or no queue. */
  readonly push: PushOperations | undefined;
  readonly queue: Queue | undefined;
  readonly pushQueue: Queue | undefined;
  readonly metrics: Metrics;
  readonly process: ProcessState;
  readonly log: Logger;
  /** Written regardless of the log filter. */
  readonly auditLog: Logger;
  /** Writes the line of the one-time login. Absent: standard output. */
  readonly print?: (line: string) => void;
}

const CLOUDS = ['fcm', 'apns', 'webpush', 'hms', 'wns'] as const;

const isPushEnabled = ({ push, push_rules }: Config): boolean =>
  push_rules.length > 0 || CLOUDS.some((name) => push[`${name}_enabled`]);

const DAY_MS = 86_400_000;
const RETENTION_INTERVAL_MS = DAY_MS;

/** The management API of a process. */
export class ManagementServer {
  readonly endpoint: Endpoint;
  readonly #parts: ManagementServerParts;
  readonly #oneTime = new OneTimeLogin();
  readonly #audit: AuditLog;
  readonly #retention: NodeJS.Timeout;
  #settings: Config['management'];
  #principals: Principals;

  constructor(parts: ManagementServerParts) {
    this.#parts = parts;
    const { config, apps, cache, rateLimit, metrics, log, auditLog } = parts;
    this.#settings = config.management;
    this.#principals = new Principals(config.management);
    const settings = (): Config['management'] => this.#settings;
    const principals = (): Principals => this.#principals;
    this.#audit = new AuditLog(openAuditStore(config, parts.databases), auditLog, metrics);
    this.#retention = setInterval(() => void this.#purge(), RETENTION_INTERVAL_MS).unref();
    const meter = new Meter(metrics);
    const document = managementDocument(ROUTES, serviceVersion());
    const handlerParts: ManagementParts = {
      config,
      apps,
      cache,
      fleet: parts.fleet,
      log,
      operations: parts.operations,
      push: isPushEnabled(config) ? (parts.push ?? null) : null,
      queue: parts.queue ?? null,
      pushQueue: parts.pushQueue ?? null,
      role: config.server_role === 'api' ? 'api' : 'server',
      settings,
      principals,
      limits: new Limits(rateLimit, settings),
      sessions: new Sessions({ cache, principals, settings, now: Date.now }),
      oneTime: this.#oneTime,
      authFailed: (reason) => meter.authFailed(reason),
      sessionEnded: (hash) => meter.sessionEnded(hash),
      audit: this.#audit,
      document: () => document,
    };
    this.endpoint = new ManagementEndpoint(ROUTES, handlerParts, parts.process, meter);
  }

  /** Takes tokens and limits of a reloaded configuration; the listener and the login at start stay. */
  reconfigure({ management }: Config): void {
    const { port, host, one_time_login } = this.#parts.config.management;
    this.#settings = { ...management, port, host, one_time_login };
    this.#principals = new Principals(this.#settings);
  }

  /** Prints the one-time login, where it is enabled. */
  started(port: number): void {
    if (!this.#settings.one_time_login) return;
    const { print = (line: string) => void process.stdout.write(line) } = this.#parts;
    const scheme = this.#parts.config.ssl.enabled ? 'https' : 'http';
    print(`console: ${scheme}://127.0.0.1:${port}/console#login=${this.#oneTime.issue()}\n`);
  }

  /** Stops timers. */
  stop(): void {
    clearInterval(this.#retention);
  }

  async #purge(): Promise<void> {
    const beforeMs = Date.now() - this.#settings.audit.retention_days * DAY_MS;
    await this.#audit.store
      .purge(beforeMs)
      .catch((error: unknown) => this.#parts.log.warn('old audit entries could not be deleted', { error }));
  }
}
