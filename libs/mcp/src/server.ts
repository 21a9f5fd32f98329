import type { Cache } from '@carillon/cache';
import type { Config } from '@carillon/config';
import type { Operations } from '@carillon/api-operations';
import type { PushOperations } from '@carillon/push-core';
import type { RateLimit } from '@carillon/rate-limit';
import type { Logger, Metrics } from '@carillon/runtime';
import type { Endpoint } from '@carillon/uws';
import { Audit } from './audit/audit.js';
import { PrincipalApps } from './calls/apps.js';
import { ToolCalls } from './calls/tool-calls.js';
import { Limits } from './guards/limits.js';
import { McpEndpoint } from './http/endpoint.js';
import { Entrance } from './http/entrance.js';
import { Sessionful } from './http/sessionful.js';
import { Stateless } from './http/stateless.js';
import { Meter } from './meter.js';
import { Methods } from './methods/methods.js';
import { Resources } from './methods/resources.js';
import { KnownSessions } from './sessions/known.js';
import { RunningCalls } from './sessions/running.js';
import { type Owner, type Session, Sessions } from './sessions/sessions.js';
import { Streams } from './sessions/streams.js';
import { type Settings, settingsOf } from './settings.js';
import { operationTools } from './tools/operation-tools.js';
import { pushTools } from './tools/push-tools.js';
import { serviceTools, type ServiceParts } from './tools/service-tools.js';
import type { EnableToolset } from './tools/toolset-tool.js';

export interface McpParts extends Omit<ServiceParts, 'usageEnabled' | 'healthCheckTimeoutMs'> {
  readonly config: Config;
  readonly operations: Operations;
  /** Absent: this process offers no tools of push. */
  readonly push?: PushOperations;
  readonly cache: Cache;
  readonly rateLimit: RateLimit;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Written regardless of the log filter. */
  readonly auditLog: Logger;
  readonly version: string;
  /** Between two pings of a stream; absent: 15 s. */
  readonly pingMs?: number;
}

const LOOK_EVERY_MS = 10_000;

/** The tool protocol of a process. */
export class McpServer {
  readonly endpoint: Endpoint;
  readonly #parts: McpParts;
  readonly #tools;
  readonly #enable: EnableToolset;
  #settings: Settings;
  readonly #streams: Streams;
  readonly #known: KnownSessions;
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;

  constructor(parts: McpParts) {
    this.#parts = parts;
    this.#log = parts.log;
    const { config, operations, cache, rateLimit, metrics, log, auditLog, version, apps } = parts;
    const service = {
      ...parts,
      usageEnabled: config.http_api.usage_enabled,
      healthCheckTimeoutMs: config.health_check_timeout_ms,
    };
    this.#tools = [
      ...serviceTools(service),
      ...operationTools(operations),
      ...(parts.push === undefined ? [] : pushTools(parts.push)),
    ];
    const settings = (): Settings => this.#settings;
    const toolbox = () => settings().toolbox;
    const ttlMs = () => settings().mcp.session_ttl_seconds * 1000;
    const timeoutMs = () => settings().mcp.request_timeout_ms;
    const isKnown = ({ principal, proof }: Owner): boolean =>
      settings().principals.named(principal)?.proof === proof;
    const meter = new Meter(metrics, log);
    const audit = new Audit(auditLog);
    const sessions = new Sessions(cache, ttlMs);
    this.#enable = async (session, toolset) => {
      const toolsets = await sessions.enable(session, toolset);
      if (toolsets !== null) this.#streams.toolsetsChanged(session, toolsets);
    };
    this.#settings = settingsOf(config, this.#tools, this.#enable);
    const known = new KnownSessions(sessions, audit, ttlMs);
    const streams = new Streams({
      cache,
      sessions,
      isKnown,
      ...(parts.pingMs === undefined ? {} : { pingMs: parts.pingMs }),
    });
    const principalApps = new PrincipalApps(apps);
    const calls = new ToolCalls(principalApps, timeoutMs, (error) => meter.fault(error));
    const resources = new Resources({ toolbox, documents: () => settings().documents, calls, audit });
    const methods = new Methods({
      settings,
      toolbox,
      calls,
      resources,
      apps: principalApps,
      audit,
      meter,
      version,
    });
    const limits = new Limits(rateLimit, config.rate_limiter, () => settings().mcp.rate_limit_per_minute);
    const isServing = (): boolean => parts.process.current === 'RUNNING';
    const entrance = new Entrance({ settings, limits, audit, meter, isServing });
    const sessionful = new Sessionful({
      settings,
      sessions,
      streams,
      running: new RunningCalls(cache, timeoutMs),
      methods,
      audit,
      meter,
      known,
      admitMore: ({ principal, request, response }, more) =>
        entrance.admitMore(principal, request, response, more),
    });
    const stateless = new Stateless({ methods, audit, meter });
    this.endpoint = new McpEndpoint({ settings, entrance, sessionful, stateless, meter });
    this.#streams = streams;
    this.#known = known;
    meter.watch({ streams: () => streams.count, sessions: () => known.count });
    this.#timer = setInterval(() => this.#try(known.look()), LOOK_EVERY_MS).unref();
  }

  /**
   * Replaces tokens, scopes, apps, tools, hosts, origins and limits; the listener and other sections stay. Removed
   * principals lose their sessions and streams; a stream is notified if the tools of its principal change.
   */
  reconfigure({ mcp }: Config): void {
    const { config } = this.#parts;
    const { path, port, host } = config.mcp;
    const before = this.#settings;
    const now = settingsOf({ ...config, mcp: { ...mcp, path, port, host } }, this.#tools, this.#enable);
    this.#settings = now;
    this.#streams.dropUnknown();
    const gone = before.principals.names.filter((name) => !now.principals.has(name));
    this.#try(this.#known.endOf(gone));
    this.#streams.listChanged((session) => listFor(before, session) !== listFor(now, session));
  }

  /** Ends streams; running calls end by their own limits. */
  drain(): void {
    clearInterval(this.#timer);
    this.#streams.endAll();
  }

  #try(work: Promise<void>): void {
    work.catch((error: unknown) => this.#log.warn('the store of sessions is out of reach', { error }));
  }
}

/** Names of the tools that `tools/list` shows to a session. */
function listFor({ principals, toolbox }: Settings, { principal: name, toolsets }: Session): string {
  const principal = principals.named(name);
  if (principal === null) return '';
  return toolbox
    .listedFor(principal, toolsets)
    .map(({ tool }) => tool.name)
    .join();
}
