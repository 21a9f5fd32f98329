import { Socket } from './clients/socket.js';
import type { Fleet } from './nodes/fleet.js';
import type { Node } from './nodes/node.js';
import { call } from './tenant.js';
import { sleep } from './wait.js';

/** What one gateway was sent while events were published to channels of another. */
export interface Traffic {
  readonly gateway: string;
  /** Events it counted as received, by its own metrics. */
  readonly events: number;
  /** Of these, for channels that nobody here has. */
  readonly unneeded: number;
  /** From the broker, by its door, keep-alives and heartbeats included; null: the driver has no doors. */
  readonly inboundBytes: number | null;
  readonly interestChannels: number;
}

const AT_ONCE = 50;
const CLIENTS = 10;
/** The rest of what is on its way. */
const ARRIVES_MS = 500;

/** Subscribes to channels on the first gateway only, publishes one event to each, and says what every gateway got. */
export async function measureRouting(
  fleet: Fleet,
  channelCount: number,
  dataBytes: number,
): Promise<Traffic[]> {
  const [first] = fleet.gateways;
  if (first === undefined) throw new Error('no gateway');
  const name = `routed-${Date.now().toString(36)}`;
  const channels = Array.from({ length: channelCount }, (_, index) => `${name}-${index}`);
  let delivered = 0;
  const sockets = await Promise.all(
    Array.from({ length: CLIENTS }, () =>
      Socket.open(first.port, ({ event }) => void (delivered += Number(event === name))),
    ),
  );
  await inTurns(channels, async (channel, index) => {
    await sockets[index % CLIENTS]?.subscribe(channel);
  });
  const before = await Promise.all(fleet.gateways.map(read));
  const body = (channel: string): string => JSON.stringify({ name, channel, data: 'x'.repeat(dataBytes) });
  await inTurns(channels, async (channel, index) => {
    const api = fleet.apis[index % fleet.apis.length] as Node;
    const { status } = await call(api.port, 'POST', '/events', { body: body(channel) });
    if (status !== 200) throw new Error(`HTTP ${status}`);
  });
  await sleep(ARRIVES_MS);
  const after = await Promise.all(fleet.gateways.map(read));
  for (const socket of sockets) socket.vanish();
  if (delivered !== channelCount) throw new Error(`${delivered} of ${channelCount} events were delivered`);
  return fleet.gateways.map((gateway, index) => ({
    gateway: gateway.name,
    events: (after[index]?.events ?? 0) - (before[index]?.events ?? 0),
    unneeded: (after[index]?.unneeded ?? 0) - (before[index]?.unneeded ?? 0),
    inboundBytes: gateway.door === null ? null : (after[index]?.bytes ?? 0) - (before[index]?.bytes ?? 0),
    interestChannels: after[index]?.interestChannels ?? 0,
  }));
}

async function read(gateway: Node) {
  return {
    events: await gateway.metric('horizontal_broadcast_received_total'),
    unneeded: await gateway.metric('horizontal_broadcast_unneeded_total'),
    interestChannels: await gateway.metric('horizontal_interest_channels'),
    bytes: gateway.door?.inboundBytes ?? 0,
  };
}

async function inTurns(
  channels: readonly string[],
  work: (channel: string, index: number) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < channels.length; from += AT_ONCE) {
    const some = channels.slice(from, from + AT_ONCE);
    await Promise.all(some.map((channel, index) => work(channel, from + index)));
  }
}
