import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type RawAnswer, rawHttp, type RawRequest } from '@carillon/testing';

export const secret = (name: string): string => `${name}-`.padEnd(40, 'x');

/** A token as the configuration has it. */
const token = (name: string, scopes: readonly string[], apps: readonly string[]) => ({
  name,
  token: secret(name),
  scopes,
  apps,
});

const ALL = ['read', 'write', 'admin'] as const;

/** Tokens of every kind that tests need, by name. */
export const TOKENS = [
  token('all', ALL, ['*']),
  token('reader', ['read'], ['*']),
  token('operator', ['admin'], ['*']),
  token('shop', ALL, ['shop']),
  token('writer', ['write'], ['shop']),
  token('two', ALL, ['shop', 'blog']),
];

/** The section of the configuration; nobody is limited unless a test says so. */
export const mcpSection = (more: Readonly<Record<string, unknown>> = {}) => ({
  mcp: { enabled: true, tokens: TOKENS, rate_limit_per_minute: 0, ...more },
});

/** One answer with its parsed body; null: it has none. */
export interface RpcAnswer extends RawAnswer {
  readonly json: unknown;
}

interface Sent {
  readonly token?: string | null;
  readonly session?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly path?: string;
}

const BOTH = 'application/json, text/event-stream';

const headersFor = ({ token: name = 'all', session, headers = {} }: Sent): Record<string, string> => ({
  Host: 'localhost',
  Accept: BOTH,
  'Content-Type': 'application/json',
  ...(name === null ? {} : { Authorization: `Bearer ${secret(name)}` }),
  ...(session === undefined ? {} : { 'MCP-Session-Id': session }),
  ...headers,
});

/** The endpoint of a process, raw and by the official client. */
export class Mcp {
  readonly #clients: Client[] = [];

  constructor(private readonly port: () => number) {}

  /** Whatever it is, sent as it is. */
  async send(body: string | Uint8Array | null, sent: Sent = {}): Promise<RpcAnswer> {
    const request: RawRequest = {
      method: sent.method ?? 'POST',
      path: sent.path ?? '/mcp',
      headers: Object.fromEntries(Object.entries(headersFor(sent)).filter(([, value]) => value !== '')),
      ...(body === null ? {} : { body }),
    };
    const answer = await rawHttp(this.port(), request);
    return {
      ...answer,
      json: answer.body.startsWith('{') || answer.body.startsWith('[') ? JSON.parse(answer.body) : null,
    };
  }

  rpc(
    method: string,
    params: object | undefined,
    sent: Sent = {},
    id: string | number = 1,
  ): Promise<RpcAnswer> {
    return this.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }), sent);
  }

  /** The id of a new session. */
  async begin(sent: Sent = {}, protocolVersion = '2025-11-25'): Promise<string> {
    const answer = await this.initialize(sent, protocolVersion);
    const id = answer.headers['mcp-session-id'];
    if (id === undefined) throw new Error(`no session: ${answer.body}`);
    return id;
  }

  initialize(sent: Sent = {}, protocolVersion: unknown = '2025-11-25', name = 'raw'): Promise<RpcAnswer> {
    const clientInfo = { name, version: '1' };
    return this.rpc('initialize', { protocolVersion, capabilities: {}, clientInfo }, sent);
  }

  /** A request of the revision without sessions. */
  stateless(
    method: string,
    params: object = {},
    headers: Record<string, string> = {},
    meta: object = {},
  ): Promise<RpcAnswer> {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      ...meta,
    };
    return this.rpc(
      method,
      { ...params, _meta },
      {
        headers: { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method, ...headers },
      },
    );
  }

  /** The official client, unmodified. */
  async connect(name = 'all'): Promise<{ client: Client; transport: StreamableHTTPClientTransport }> {
    const url = new URL(`http://127.0.0.1:${this.port()}/mcp`);
    const requestInit = { headers: { Authorization: `Bearer ${secret(name)}` } };
    const transport = new StreamableHTTPClientTransport(url, { requestInit });
    const client = new Client({ name: 'acceptance', version: '1.0.0' });
    await client.connect(transport);
    this.#clients.push(client);
    return { client, transport };
  }

  async drop(): Promise<void> {
    await Promise.all(this.#clients.splice(0).map((client) => client.close()));
  }
}

/** What a call came to, as its text says it. */
export const said = (result: unknown): { isError: boolean; value: Record<string, unknown> } => {
  const { content, isError } = result as { content: [{ text: string }]; isError?: boolean };
  return { isError: isError === true, value: JSON.parse(content[0].text) as Record<string, unknown> };
};
