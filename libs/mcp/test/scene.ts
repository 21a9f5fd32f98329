import { App, type AppRegistry } from '@carillon/app-registry';
import { type Cache, MemoryCache } from '@carillon/cache';
import { type Config, Secret } from '@carillon/config';
import type { Operations } from '@carillon/api-operations';
import { MemoryRateLimit, type RateLimit } from '@carillon/rate-limit';
import { createLogging, createParts, NO_HISTORY, NO_SOCKETS, Statistics } from '@carillon/runtime';
import { configuration, RawConnection, rawHttp } from '@carillon/testing';
import { UwsHttpAdapter, UwsServer } from '@carillon/uws';
import { onTestFinished } from 'vitest';
import { McpServer } from '../src/server.js';

const FILE = `
[[app_manager.array.apps]]
id = "shop"
key = "shop-key"
secret = "shop-secret"
`;

export const secretOf = (name: string): string => name.padEnd(40, 'x');

/** A token for everything. */
export const token = (name: string, more: object = {}) => ({
  name,
  token: new Secret(secretOf(name)),
  scopes: ['read', 'write', 'admin'],
  apps: ['shop'],
  ...more,
});

export interface Setting {
  readonly mcp?: Partial<Config['mcp']>;
  /** Operations of the process; absent: none. */
  readonly operations?: Readonly<Record<string, unknown>>;
  readonly cache?: Cache;
  readonly rateLimit?: RateLimit;
  readonly pingMs?: number;
}

interface Sent {
  readonly name?: string;
  readonly session?: string;
  readonly method?: string;
  readonly host?: string;
  readonly version?: string;
}

const headersOf = ({ name = 'all', session, host = 'localhost', version }: Sent) => ({
  Host: host,
  'Content-Type': 'application/json',
  ...(name === '' ? {} : { Authorization: `Bearer ${secretOf(name)}` }),
  ...(version === undefined ? {} : { 'MCP-Protocol-Version': version }),
  ...(session === undefined ? {} : { 'MCP-Session-Id': session }),
});
/** The endpoint on a listener of its own, over parts of this process, some of which a test may break. */
export async function scene({ mcp = {}, operations = {}, ...more }: Setting = {}) {
  const base = configuration({ ENVIRONMENT: 'test' }, FILE);
  const configured = (section: Partial<Config['mcp']>): Config => ({
    ...base,
    mcp: { ...base.mcp, enabled: true, rate_limit_per_minute: 0, tokens: [token('all')], ...section },
  });
  const config = configured(mcp);
  const parts = createParts(config);
  parts.process.advance('RUNNING');
  const lines: string[] = [];
  const logging = createLogging(
    { debug: false, colors_enabled: false, include_target: true, format: 'json', filter: 'info' },
    { destination: { write: (line) => lines.push(line) } },
  );
  const [record] = config.app_manager.array.apps;
  if (record === undefined) throw new Error('no app');
  const app = new App(record, config);
  const apps: Pick<AppRegistry, 'findById' | 'list'> = {
    findById: async (id) => (id === app.id ? app : null),
    list: async () => ({ apps: [record], next: null }),
  };
  const cache = more.cache ?? new MemoryCache({ capacity: 1000, defaultTtlMs: 60_000, cleanupIntervalMs: 0 });
  const server = new McpServer({
    ...parts,
    config,
    apps,
    operations: { live: null, ...operations } as unknown as Operations,
    cache,
    rateLimit: more.rateLimit ?? new MemoryRateLimit(),
    statistics: new Statistics('default', NO_SOCKETS, NO_HISTORY),
    log: logging.for('service::mcp'),
    auditLog: logging.unfiltered('service::mcp::audit'),
    version: '1.0.0',
    ...(more.pingMs === undefined ? {} : { pingMs: more.pingMs }),
  });
  const listener = new UwsServer();
  const adapter = new UwsHttpAdapter(listener, {});
  adapter.endpoint('/mcp', server.endpoint);
  const address = await listener.listen({ host: '127.0.0.1', port: 0 });
  const port = address.kind === 'tcp' ? address.port : 0;
  onTestFinished(() => {
    server.drain();
    listener.close();
  });

  /** Sends a request whose client may disconnect before the answer. */
  const ask = async (message: object, sent: Sent = {}): Promise<RawConnection> => {
    const connection = await RawConnection.open(port);
    onTestFinished(() => connection.destroy());
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const headers = Object.entries({ ...headersOf(sent), 'Content-Length': String(body.length) });
    connection.write(
      `POST /mcp HTTP/1.1\r\n${headers.map(([key, value]) => `${key}: ${value}\r\n`).join('')}\r\n${body}`,
    );
    return connection;
  };
  const listen = async (session: string, name: string): Promise<RawConnection> => {
    const connection = await RawConnection.open(port);
    onTestFinished(() => connection.destroy());
    const headers = Object.entries({ ...headersOf({ session, name }), Accept: 'text/event-stream' });
    connection.write(
      `GET /mcp HTTP/1.1\r\n${headers.map(([key, value]) => `${key}: ${value}\r\n`).join('')}\r\n`,
    );
    return connection;
  };
  const send = async (message: object | null, sent: Sent = {}) => {
    const answer = await rawHttp(port, {
      method: sent.method ?? 'POST',
      path: '/mcp',
      headers: headersOf(sent),
      ...(message === null ? {} : { body: JSON.stringify({ jsonrpc: '2.0', ...message }) }),
    });
    return { ...answer, json: answer.body === '' ? null : (JSON.parse(answer.body) as unknown) };
  };
  return {
    port,
    process: parts.process,
    server,
    /** Requests that are neither answered nor left. */
    inFlight: (): number => adapter.inFlight(),
    send,
    ask,
    /** Everything that was logged, as it was written. */
    lines,
    /** The records of the audit so far. */
    records: () => lines.map((line) => (JSON.parse(line) as { fields: Record<string, unknown> }).fields),
    reconfigure: (section: Partial<Config['mcp']>): void => server.reconfigure(configured(section)),
    begin: async (name = 'all'): Promise<string> => {
      const params = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      };
      const { headers } = await send({ id: 1, method: 'initialize', params }, { name });
      return headers['mcp-session-id'] ?? '';
    },
    call: async (session: string, name: string, given: object = {}, id: string | number = 7) => {
      const answer = await send(
        { id, method: 'tools/call', params: { name, arguments: given } },
        { session },
      );
      const { result, error } = answer.json as {
        result?: { isError: boolean; content: [{ text: string }] };
        error?: object;
      };
      return {
        status: answer.status,
        error,
        isError: result?.isError,
        said: result === undefined ? null : (JSON.parse(result.content[0].text) as unknown),
      };
    },
    /** Opens the event stream of a session. */
    stream: async (session: string, name = 'all'): Promise<RawConnection> => {
      const connection = await listen(session, name);
      await connection.untilText('200 OK');
      return connection;
    },
    /** The head of the answer to one more. */
    open: async (session: string): Promise<string> => {
      const connection = await listen(session, 'all');
      return (await connection.until((bytes) => bytes.includes('\r\n\r\n'))).toString('latin1');
    },
  };
}
