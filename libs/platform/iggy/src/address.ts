import type { Config } from '@carillon/config';

export type IggySettings = Config['adapter']['iggy'];

/** A server's HTTP API. */
export interface IggyServer {
  readonly protocol: 'http:' | 'https:';
  readonly host: string;
  readonly port: number;
}

export interface IggyAddress {
  /** At least one: the server of the connection string, then the seeds. */
  readonly servers: readonly [IggyServer, ...IggyServer[]];
  readonly username: string;
  readonly password: string;
}

/** Default ports of the binary protocol and of the HTTP API. */
const TCP_PORT = 8090;
const HTTP_PORT = 3000;
const SCHEMES = new Set(['iggy:', 'iggy+tcp:', 'iggy+http:', 'http:', 'https:']);

/**
 * Reads the connection string and the seeds. The service uses the HTTP API: 8090, the default port of the binary
 * protocol, stands for 3000; other ports are used unchanged. `username` and `password` take precedence over those of
 * the string.
 * @param block settings named in errors, such as `queue.iggy`
 */
export function iggyAddress(settings: IggySettings, block: string): IggyAddress {
  const { connection_string: text, cluster_seeds: seeds } = settings;
  const scheme = /^([a-z+]+:)\/\//i.exec(text)?.[1]?.toLowerCase() ?? '';
  if (!SCHEMES.has(scheme)) {
    throw new Error(
      `${block}.connection_string: scheme "${scheme}" is not supported; expected iggy, iggy+tcp, iggy+http, http or https`,
    );
  }
  const protocol = scheme === 'https:' ? 'https:' : 'http:';
  const url = new URL(`${protocol}${text.slice(scheme.length)}`);
  const username = settings.username ?? decodeURIComponent(url.username);
  const password = settings.password?.reveal() ?? decodeURIComponent(url.password);
  if (username === '') throw new Error(`${block}.username: no user is set, nor one in connection_string`);
  const first = { protocol, host: hostOf(url), port: portOf(url, protocol) } as const;
  const others = seeds.map((seed) => seedOf(seed, protocol, block));
  return { servers: [first, ...others], username, password };
}

const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

function portOf(url: URL, protocol: string): number {
  if (url.port === '') return protocol === 'https:' ? 443 : HTTP_PORT;
  return Number(url.port) === TCP_PORT ? HTTP_PORT : Number(url.port);
}

function seedOf(seed: string, protocol: 'http:' | 'https:', block: string): IggyServer {
  const text = `${protocol}//${seed}`;
  if (!URL.canParse(text) || /[/@]/.test(seed))
    throw new Error(`${block}.cluster_seeds: "${seed}" is not host:port`);
  const url = new URL(text);
  return { protocol, host: hostOf(url), port: portOf(url, protocol) };
}
