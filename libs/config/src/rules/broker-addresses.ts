import type { Config } from '../schema/index.js';
import { ruleEach, type Rule } from './rule.js';

const BLOCKS = ['adapter', 'queue'] as const;
type Block = (typeof BLOCKS)[number];

const isUsed = ({ adapter, queue, push }: Config, block: Block, driver: string): boolean =>
  block === 'adapter' ? adapter.driver === driver : queue.driver === driver || push.queue_driver === driver;

/** The ports of Pulsar's binary protocol that are mapped to a port of its WebSocket API, by scheme. */
const PULSAR_PORTS: Readonly<Record<string, readonly string[]>> = {
  'pulsar:': ['', '6650'],
  'pulsar+ssl:': ['', '6651'],
};
const WEB_SCHEMES = new Set(['ws:', 'wss:', 'http:', 'https:']);
const IGGY_SCHEMES = new Set(['iggy:', 'iggy+tcp:', 'iggy+http:', 'http:', 'https:']);

/** Null: the driver can use it. */
function pulsarUrlProblem(text: string): string | null {
  const { protocol, port } = new URL(text);
  if (WEB_SCHEMES.has(protocol)) return null;
  const ports = PULSAR_PORTS[protocol];
  if (ports === undefined) return 'scheme must be pulsar, pulsar+ssl, ws, wss, http or https';
  return ports.includes(port)
    ? null
    : `the port of the WebSocket API cannot be derived from port ${port}; use ws://host:port`;
}

function iggyAddressProblem({ connection_string: text, username }: Config['adapter']['iggy']): string | null {
  const url = new URL(text);
  if (!IGGY_SCHEMES.has(url.protocol)) return 'scheme must be iggy, iggy+tcp, iggy+http, http or https';
  return (username ?? '') === '' && url.username === '' ? 'names no user, and username is unset' : null;
}

/** Rules of addresses that their drivers cannot use. */
export const brokerAddressRules: readonly Rule[] = [
  ruleEach('pulsar-url', BLOCKS, (block, { config }) => {
    if (!isUsed(config, block, 'pulsar')) return null;
    const message = pulsarUrlProblem(config[block].pulsar.url);
    return message === null ? null : { path: `${block}.pulsar.url`, message };
  }),
  ruleEach('iggy-connection-string', BLOCKS, (block, { config }) => {
    if (!isUsed(config, block, 'iggy')) return null;
    const message = iggyAddressProblem(config[block].iggy);
    return message === null ? null : { path: `${block}.iggy.connection_string`, message };
  }),
];
