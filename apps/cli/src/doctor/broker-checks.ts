import { connect } from 'node:net';
import type { Config } from '@carillon/config';
import { networkReason } from '../api/request-errors.js';
import { type DoctorContext, STEP_MS } from './context.js';
import type { Report } from './result.js';

interface Place {
  readonly driver: string;
  readonly setting: string;
  /** `host:port`, or a URL. */
  readonly address: string;
}

const PORTS: Readonly<Record<string, number>> = {
  nats: 4222,
  rabbitmq: 5672,
  kafka: 9092,
  pulsar: 8080,
  iggy: 3000,
};

/** Reaches every address of the brokers of adapter and queues that are not Redis. */
export async function checkBrokers({ loaded: { config } }: DoctorContext, report: Report): Promise<void> {
  const places = [
    ...blockPlaces(config, 'adapter', config.adapter.driver),
    ...blockPlaces(config, 'queue', config.queue.driver),
  ];
  await Promise.all(places.map(async (place) => reach(place, report)));
}

/** Addresses of a broker as the block of the adapter or the queue names them. */
function blockPlaces(config: Config, block: 'adapter' | 'queue', driver: string): readonly Place[] {
  const settings = config[block];
  const named = (setting: string, addresses: readonly string[]): readonly Place[] =>
    addresses.map((address) => ({ driver, setting: `${block}.${setting}`, address }));
  switch (driver) {
    case 'nats':
      return named('nats.servers', settings.nats.servers);
    case 'rabbitmq':
      return named('rabbitmq.url', [settings.rabbitmq.url]);
    case 'kafka':
      return named('kafka.brokers', settings.kafka.brokers);
    default:
      return [];
  }
}

async function reach({ driver, setting, address }: Place, report: Report): Promise<void> {
  const place = hostOf(address, PORTS[driver] ?? 0);
  const id = `${driver}.reach`;
  if (place === null)
    return report({ id, status: 'error', setting, message: `${setting} is not an address` });
  const target = `${place.host}:${place.port}`;
  const error = await connectError(place);
  if (error === null) return report({ id, status: 'ok', target, setting, message: `${target} is reachable` });
  report({
    id,
    status: 'error',
    target,
    setting,
    message: `${driver} at ${target} cannot be reached: ${networkReason(error)}`,
    cure: `start the broker, or correct ${setting}`,
    facts: { host: place.host, port: place.port, errno: (error as NodeJS.ErrnoException).code ?? null },
  });
}

function hostOf(address: string, port: number): { readonly host: string; readonly port: number } | null {
  try {
    const url = new URL(address.includes('://') ? address : `broker://${address}`);
    return {
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port === '' ? port : Number(url.port),
    };
  } catch {
    return null;
  }
}

/** Null: the connection is established. */
function connectError(place: { readonly host: string; readonly port: number }): Promise<Error | null> {
  return new Promise((done) => {
    const socket = connect({ ...place, timeout: STEP_MS });
    const end = (error: Error | null): void => {
      socket.destroy();
      done(error);
    };
    socket.once('connect', () => end(null));
    socket.once('error', end);
    socket.once('timeout', () => end(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })));
  });
}
