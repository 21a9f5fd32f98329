import { type App, BrokenApp, type AppPage } from '@carillon/app-registry';
import { ServiceError } from '@carillon/errors';
import type { JsonObject, JsonSchema } from '@carillon/api-operations';
import {
  type Admission,
  type Health,
  liveAnswer,
  type ProcessState,
  type Statistics,
  upOfApp,
  upOfProcess,
  usageBody,
} from '@carillon/runtime';
import type { Principal } from '../guards/principals.js';
import { ofApp } from './arguments.js';
import type { Tool } from './tool.js';

/** Looks up apps. */
export interface AppSource {
  findById(id: string): Promise<App | null>;
  list(page: { readonly limit: number; readonly cursor: string | null }): Promise<AppPage>;
}

/** Dependencies of tools about the service itself. */
export interface ServiceParts {
  readonly apps: AppSource;
  readonly process: ProcessState;
  readonly health: Health;
  readonly admission: Admission;
  readonly statistics: Statistics;
  readonly usageEnabled: boolean;
  readonly healthCheckTimeoutMs: number;
}

const MAX_APPS = 100;

const plain = (properties: JsonObject = {}): JsonSchema => ({
  type: 'object',
  properties,
  additionalProperties: false,
});
const result = (properties: JsonObject): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});
const integer = { type: 'integer' } as const;
const string = { type: 'string' } as const;

const COMMON = { scope: 'read', hints: {}, isOfApp: false, needsAllApps: false, isUntrusted: false } as const;

/** Tools about the service itself, which are no operations of an app. */
export function serviceTools(parts: ServiceParts): readonly Tool[] {
  return [listApps(parts.apps), health(parts), appHealth(parts), statistics(parts), memoryUsage(parts)];
}

function listApps(apps: AppSource): Tool {
  return {
    ...COMMON,
    name: 'list_apps',
    description: 'Lists the apps this token can use. Call it first if app_id is unknown.',
    input: plain({
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: MAX_APPS,
        description: 'Page size',
      },
      cursor: { type: 'string', description: 'next_cursor of the page before' },
    }),
    output: result({
      apps: { type: 'array', items: result({ id: string, enabled: { type: 'boolean' } }) },
      next_cursor: { type: ['string', 'null'] },
    }),
    run: ({ principal, given }) => pageOfApps(apps, principal, given),
  };
}

async function pageOfApps(apps: AppSource, principal: Principal, given: JsonObject): Promise<unknown> {
  const limit = typeof given['limit'] === 'number' ? given['limit'] : MAX_APPS;
  const cursor = typeof given['cursor'] === 'string' ? given['cursor'] : null;
  if (principal.apps !== null) return pageOfNamed(apps, [...principal.apps].sort(), limit, cursor);
  const { apps: stored, next } = await apps.list({ limit, cursor });
  const readable = stored.flatMap((one) => (one instanceof BrokenApp ? [] : [one]));
  return { apps: readable.map(({ id, enabled }) => ({ id, enabled })), next_cursor: next };
}

/** A page of apps by name; the cursor is the last name of the previous page. */
async function pageOfNamed(
  apps: AppSource,
  names: readonly string[],
  limit: number,
  cursor: string | null,
): Promise<unknown> {
  const rest = names.filter((name) => cursor === null || name > cursor);
  const page = rest.slice(0, limit);
  const found = await Promise.all(page.map((name) => apps.findById(name)));
  return {
    apps: found.flatMap((app) => (app === null ? [] : [{ id: app.id, enabled: app.enabled }])),
    next_cursor: rest.length > limit ? (page.at(-1) ?? null) : null,
  };
}

function health({ process, health: checks, admission }: ServiceParts): Tool {
  return {
    ...COMMON,
    name: 'get_health',
    description:
      'Reports whether this server process is live, ready and accepting connections. Use it when calls fail.',
    input: plain(),
    output: result({
      live: { type: 'boolean' },
      up: result({ status: integer, body: string }),
      accept_traffic: result({ status: integer, state: string, monitor: string, limit_source: string }),
    }),
    run: async () => {
      const { status, body } = await upOfProcess({ process, health: checks });
      const { monitor, source } = admission.decision;
      const state = admission.state();
      return {
        live: liveAnswer().status === 200,
        up: { status, body },
        accept_traffic: { status: state === 'ACCEPTING' ? 200 : 503, state, monitor, limit_source: source },
      };
    },
  };
}

function appHealth({ process, health: checks, apps, healthCheckTimeoutMs }: ServiceParts): Tool {
  return {
    ...COMMON,
    name: 'get_app_health',
    description: 'Reports whether this process can serve one app. Use it when calls for that app fail.',
    input: ofApp(plain()),
    output: result({ status: integer, body: string }),
    isOfApp: true,
    run: async ({ app }) => {
      if (app === null) throw new Error('get_app_health is of an app');
      const lookup = { find: (id: string) => apps.findById(id) };
      const { status, body } = await upOfApp(
        app.id,
        { process, health: checks },
        lookup,
        healthCheckTimeoutMs,
      );
      return { status, body };
    },
  };
}

const notEnabled = (): ServiceError =>
  new ServiceError('feature_disabled', { text: 'usage and statistics are not enabled' });

function statistics({ statistics: source, usageEnabled }: ServiceParts): Tool {
  return {
    ...COMMON,
    name: 'get_stats',
    description:
      'Returns connections, users and channels per app, and memory, of this process. Use it to judge load.',
    needsAllApps: true,
    input: plain(),
    output: { type: 'object', required: ['memory', 'totals', 'apps'] },
    run: async () => {
      if (!usageEnabled) throw notEnabled();
      return source.read();
    },
  };
}

function memoryUsage({ usageEnabled }: ServiceParts): Tool {
  return {
    ...COMMON,
    name: 'get_memory_usage',
    description: 'Returns memory use and limit of this process. Use it to judge memory pressure.',
    needsAllApps: true,
    input: plain(),
    output: { type: 'object', required: ['memory', 'process'] },
    run: async () => {
      if (!usageEnabled) throw notEnabled();
      return usageBody();
    },
  };
}
