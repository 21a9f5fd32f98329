import type { CompatCore } from '@carillon/compat-core';
import type { Config } from '@carillon/config';
import type { Fabric } from '@carillon/fabric';
import type { HistoryReader, MessageReader, PresenceHistoryReader } from '@carillon/history';
import type { AppRate, Operations } from '@carillon/operations';
import type { Presence } from '@carillon/presence';
import type { PushOperations } from '@carillon/push';
import type { Logger } from '@carillon/runtime';
import type { UwsHttpAdapter } from '@carillon/uws';
import { Entry } from './access.js';
import { AnnotationRoutes } from './annotations.js';
import { errorWords } from './error-answer.js';
import { type Route, serve } from './exchange.js';
import { FromSerial } from './from-serial.js';
import { History } from './history.js';
import { Messages } from './messages.js';
import { PresenceHistory } from './presence-history.js';
import { Publishing } from './publish.js';
import { type Method, pushRoutes } from './push/mount.js';
import { StatsRoutes } from './stats.js';
import { State } from './state.js';
import { Summaries } from './summaries.js';
import { TokenRoutes } from './tokens.js';

/** What the routes stand on. */
export interface CompatApiParts {
  readonly config: Config;
  readonly core: CompatCore;
  readonly rate: AppRate;
  readonly fabric: Fabric;
  readonly operations: Operations;
  /** Null: this process has no way to the histories of channels. */
  readonly history: HistoryReader | null;
  /** Null: nor to messages that live on. */
  readonly messages: MessageReader | null;
  /** Null: nor to who came and went. */
  readonly presenceHistory: PresenceHistoryReader | null;
  /** Null in a process without sockets, where the routes about them do not exist. */
  readonly presence: Presence | null;
  /** Null: nothing is pushed by this process. */
  readonly push: PushOperations | null;
  readonly log: Logger;
  readonly now?: () => number;
}

interface MountedParts {
  readonly entry: Entry;
  readonly put: (method: Method, path: string, route: Route) => void;
  readonly now: () => number;
  /** As they are answered on the main listener. */
  readonly served: (route: Route) => ReturnType<typeof serve>;
}

/** Where the service has something at the path as well, whoever brings credentials is an Ably client. */
const bringsCredentials = ({
  query,
  header,
}: {
  query: Readonly<Record<string, string>>;
  header: string | undefined;
}): boolean =>
  header !== undefined || [query['key'], query['access_token'], query['accessToken']].some(Boolean);

const CHANNEL = '/channels/:channel';
const MESSAGE = `${CHANNEL}/messages/:serial`;

/** Puts the routes on the main listener. */
export function mountCompatApi(adapter: UwsHttpAdapter, parts: CompatApiParts): void {
  const { core, history, config, presence, fabric, operations, rate, log, now = Date.now } = parts;
  adapter.errorWords = errorWords(config.mcp.path);
  const entry = new Entry(core, rate, (error) => log.error('request failed', { error }), now);
  const served = (route: Route) =>
    serve(route, entry.told, (request, status, bytes) => entry.answered(request, status, bytes));
  const put = (method: Method, path: string, route: Route): void =>
    adapter.fastRoute(method, path, served(route));
  const publishing = new Publishing(core, entry);
  const summaries = new Summaries(parts.messages);
  const from = history === null ? null : new FromSerial(history, parts.messages);
  const pages = new History(history, from, summaries, entry, config.history.max_page_size);
  put('GET', '/time', async () => ({ status: 200, body: [now()] }));
  const tokens = new TokenRoutes(core, entry, now);
  put('POST', '/keys/:keyName/requestToken', tokens.request);
  put('POST', '/keys/:keyName/revokeTokens', tokens.revoke);
  for (const path of ['messages', 'publish']) put('POST', `${CHANNEL}/${path}`, publishing.one);
  for (const path of ['messages', 'history']) put('GET', `${CHANNEL}/${path}`, pages.page);
  const cameAndWent = new PresenceHistory(
    parts.presenceHistory,
    entry,
    config.presence_history.max_page_size,
  );
  put('GET', `${CHANNEL}/presence/history`, cameAndWent.page);
  put('POST', '/messages', publishing.batch);
  const versions = config.versioned_messages.max_page_size;
  const messages = new Messages(core, operations, entry, versions, summaries, history);
  put('GET', MESSAGE, messages.latest);
  put('PATCH', MESSAGE, messages.edit);
  put('GET', `${MESSAGE}/versions`, messages.versions);
  const annotations = new AnnotationRoutes(core, operations, entry, versions);
  put('GET', `${MESSAGE}/annotations`, annotations.list);
  put('POST', `${MESSAGE}/annotations`, annotations.add);
  for (const [method, path, route] of parts.push === null ? [] : pushRoutes(core, parts.push, entry, now))
    put(method, path, route);
  mountStats(adapter, parts, { entry, put, now, served });
  if (presence === null) return;
  const state = new State(presence, fabric, entry, history, now);
  put('GET', CHANNEL, state.status);
  put('GET', `${CHANNEL}/presence`, state.members);
  put('GET', '/presence', state.membersOfMany);
}

const view =
  (read: () => object): Route =>
  async () => ({ status: 200, body: read() });

function mountStats(
  adapter: UwsHttpAdapter,
  { core, config }: CompatApiParts,
  { entry, put, now, served }: MountedParts,
): void {
  const stats = new StatsRoutes(core, entry, now);
  const page = served(stats.page);
  adapter.before('GET', '/stats', (request, response, next) => {
    if (bringsCredentials({ query: request.query, header: request.header('authorization') }))
      void page(request, response);
    else next();
  });
  put('POST', '/stats', stats.replace);
  if (!config.http_api.usage_enabled) return;
  put(
    'GET',
    '/operator/stats/aggregation',
    view(() => core.statistics.aggregation),
  );
  put(
    'GET',
    '/operator/stats/compat-runtime',
    view(() => core.counters.values),
  );
}
