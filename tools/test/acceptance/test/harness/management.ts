import { createHash } from 'node:crypto';
import { engine } from '@carillon/test-backends';
import { type RawAnswer, rawHttp } from '@carillon/testing';

/** An operator token that is derived from a word, so that a leak would show. */
export const operatorToken = (word: string): string =>
  `cmt_${createHash('sha256').update(word).digest('base64url')}`;

export type Scope = 'admin' | 'read' | 'write';

/** A row of `[[management.tokens]]`. */
export const tokenRow = (
  name: string,
  scopes: readonly Scope[],
  apps: readonly string[] = ['*'],
  more: Readonly<Record<string, unknown>> = {},
) => ({
  name,
  token_hash: createHash('sha256').update(operatorToken(name)).digest('hex'),
  scopes,
  apps,
  ...more,
});

/** The section of a process without limits that would end a test. */
export const managementSection = (
  tokens: readonly object[],
  more: Readonly<Record<string, unknown>> = {},
) => ({
  enabled: true,
  rate_limit_per_minute: 0,
  failed_auth_per_minute: 100_000,
  tokens,
  ...more,
});

/** What a request carries. */
export interface ManagementRequest {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ManagementAnswer extends RawAnswer {
  readonly json: Record<string, unknown>;
}

export type Method = 'DELETE' | 'GET' | 'OPTIONS' | 'PATCH' | 'POST';

/** Sends a request below `/manage/v1`; `path` as it is on the wire. */
export async function manage(
  port: number,
  method: Method,
  path: string,
  { body, headers = {} }: ManagementRequest = {},
): Promise<ManagementAnswer> {
  const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
  const type: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const answer = await rawHttp(port, {
    method,
    path: `/manage/v1${path}`,
    headers: { ...type, ...headers },
    ...sent,
  });
  return { ...answer, json: answer.body === '' ? {} : (JSON.parse(answer.body) as Record<string, unknown>) };
}

/** An operator with a bearer token. */
export class Operator {
  constructor(
    private readonly port: () => number,
    private readonly name: string,
  ) {}

  request(
    method: Method,
    path: string,
    { body, headers = {} }: ManagementRequest = {},
  ): Promise<ManagementAnswer> {
    return manage(this.port(), method, path, {
      ...(body === undefined ? {} : { body }),
      headers: { Authorization: `Bearer ${operatorToken(this.name)}`, ...headers },
    });
  }

  /** As `request`, for an answer that must have this status. */
  async must(
    status: number,
    method: Method,
    path: string,
    sent?: ManagementRequest,
  ): Promise<ManagementAnswer> {
    const answer = await this.request(method, path, sent);
    if (answer.status !== status) throw new Error(`${method} ${path}: HTTP ${answer.status}: ${answer.body}`);
    return answer;
  }
}

/** A PostgreSQL of its own as the app store of processes. */
export async function appsInPostgres(): Promise<{ env: Record<string, string>; end(): Promise<void> }> {
  const corner = await (await engine('postgres')).isolate();
  const { hostname, port, username, password, pathname } = new URL(corner.url);
  return {
    env: {
      APP_MANAGER_DRIVER: 'postgres',
      DATABASE_POSTGRES_HOST: hostname,
      DATABASE_POSTGRES_PORT: port,
      DATABASE_POSTGRES_USERNAME: decodeURIComponent(username),
      DATABASE_POSTGRES_PASSWORD: decodeURIComponent(password),
      DATABASE_POSTGRES_DATABASE: pathname.slice(1),
    },
    end: () => corner.end(),
  };
}
