import type { Config } from '@carillon/config';

export type PulsarSettings = Config['adapter']['pulsar'];

/** Address of the WebSocket API of a Pulsar cluster. */
export interface PulsarAddress {
  /** `ws://host:port` or `wss://host:port`. */
  readonly base: string;
  readonly host: string;
  readonly port: number;
}

/** The ports of the WebSocket API that belong to the default ports of the binary protocol. */
const DERIVED: Readonly<Record<string, { scheme: string; ports: Readonly<Record<string, number>> }>> = {
  'pulsar:': { scheme: 'ws', ports: { '': 8080, '6650': 8080 } },
  'pulsar+ssl:': { scheme: 'wss', ports: { '': 8443, '6651': 8443 } },
};
const DIRECT: Readonly<Record<string, { scheme: string; port: number }>> = {
  'ws:': { scheme: 'ws', port: 80 },
  'http:': { scheme: 'ws', port: 80 },
  'wss:': { scheme: 'wss', port: 443 },
  'https:': { scheme: 'wss', port: 443 },
};

/**
 * Derives the address of the WebSocket API from `url`. `ws`, `wss`, `http` and `https` name it directly; `pulsar://`
 * and `pulsar+ssl://` name the binary protocol, whose default ports stand for 8080 and 8443.
 * @param block settings that contain `url`, such as `queue.pulsar`
 */
export function pulsarAddress(url: string, block: string): PulsarAddress {
  const { protocol, hostname, port } = new URL(url);
  const found = addressOf(protocol, port);
  if (found === 'scheme') {
    throw new Error(
      `${block}.url: scheme "${protocol}" is not supported; expected pulsar, pulsar+ssl, ws, wss, http or https`,
    );
  }
  if (hostname === '') throw new Error(`${block}.url: "${url}" has no host`);
  if (found === 'port') {
    throw new Error(
      `${block}.url: the port of the WebSocket API cannot be derived from port ${port}; name it as ws://${hostname}:PORT`,
    );
  }
  return {
    base: `${found.scheme}://${hostname}:${found.port}`,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: found.port,
  };
}

function addressOf(protocol: string, port: string): { scheme: string; port: number } | 'port' | 'scheme' {
  const direct = DIRECT[protocol];
  if (direct !== undefined) return { scheme: direct.scheme, port: port === '' ? direct.port : Number(port) };
  const derived = DERIVED[protocol];
  if (derived === undefined) return 'scheme';
  const known = derived.ports[port];
  return known === undefined ? 'port' : { scheme: derived.scheme, port: known };
}

/** Returns the path of a topic of the default namespace in the WebSocket API. */
export const topicPath = (topic: string): string => `persistent/public/default/${encodeURIComponent(topic)}`;
