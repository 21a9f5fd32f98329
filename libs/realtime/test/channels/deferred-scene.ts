import { Channels } from '@carillon/channels';
import { LoopShare } from '@carillon/runtime';
import { LocalChannel } from '../../src/channels/local-channel.js';
import { type Codec, Frames } from '../../src/codec.js';
import { Outlet, type OutletBounds } from '../../src/delivery/outlet.js';
import type { Edge } from '../../src/edge.js';
import { Subscriber, type SubscriberSocket } from '../../src/subscriber/subscriber.js';
import { app, config, EDGE, hub, message, TEXT } from '../samples.js';

export const BOUNDS = { maxFrames: 1000, maxBytes: 1e6, slowBytes: 1e6, disconnects: true, compress: false };
/** Time of one filter evaluation, and the longest burst of evaluations. */
export const FILTER_MS = 2;
const BURST_MS = 4;
const PART = 0.5;
/**
 * The longest time in one turn: the budget grows while it is spent, and the last filter may begin on a little of it.
 */
export const LONGEST_MS = BURST_MS / (1 - PART) + FILTER_MS;

/** An event loop share whose later turns are triggered by the test. */
function pacedShare() {
  const clock = { ms: 0, due: [] as (() => void)[] };
  const share = new LoopShare(
    { part: PART, burstMs: BURST_MS },
    { now: () => clock.ms, after: (_, run) => void clock.due.push(run) },
  );
  const turn = async (): Promise<void> => {
    clock.ms += 100;
    for (const run of clock.due.splice(0)) run();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, share, turn };
}

/** A channel and its app; subscribers with slow filters receive what is published on native topics. */
export function scene(bounds: OutletBounds = BOUNDS) {
  const { clock, share, turn } = pacedShare();
  const home = hub();
  const outlet = new Outlet(bounds, { dropped: () => undefined });
  const about = new Channels(config()).subscription(app(), 'news', 2);
  if (!about.accepted || about.form !== 'ordinary') throw new Error('no channel');
  const topics = new Map<string, Set<string[]>>();
  const publish = (topic: string, frame: unknown): void => {
    for (const sent of topics.get(topic) ?? []) sent.push(String(frame));
  };
  const ways = { outlet, publish, appends: null, filters: share };
  const channel = new LocalChannel(home, about, ways);
  let evaluated = 0;
  const filter = (accepts: (event: string) => boolean = () => true): Codec => ({
    encode: (fact) =>
      share.measure(() => {
        clock.ms += FILTER_MS;
        evaluated += 1;
        const isAccepted = fact.kind === 'message' && accepts(fact.event);
        return isAccepted ? fact.event : null;
      }),
    isDeferred(frames: Frames): boolean {
      return frames.fact.kind === 'message' && share.isSpent && !frames.has(this);
    },
  });
  const connect = (id: string, edge: Edge = EDGE) => {
    const sent: string[] = [];
    const socket = {
      isOpen: true,
      bufferedBytes: 0,
      isSubscribed: (topic: string) => topics.get(topic)?.has(sent) === true,
      publish: (topic: string, frame: string) => {
        for (const other of topics.get(topic) ?? []) if (other !== sent) other.push(frame);
      },
      subscribe: (topic: string) => {
        const all = topics.get(topic) ?? new Set();
        topics.set(topic, all.add(sent));
        return true;
      },
      unsubscribe: (topic: string) => topics.get(topic)?.delete(sent) === true,
      send: (frame: string) => (sent.push(frame), 'sent'),
      cork: (work: () => void) => work(),
      end: () => (socket.isOpen = false),
    };
    const subscriber = new Subscriber(id, home, edge, TEXT);
    subscriber.socket = socket as unknown as SubscriberSocket;
    home.add(subscriber);
    return { subscriber, sent };
  };
  const join = (id: string, codec: Codec = TEXT) => {
    const connected = connect(id);
    channel.add(connected.subscriber, null, codec);
    channel.open(connected.subscriber);
    return connected;
  };
  const deliver = (...events: string[]): void => {
    for (const event of events) channel.deliver(message({ event, messageId: event }));
  };
  return {
    channel,
    home,
    about,
    outlet,
    share,
    clock,
    ways,
    filter,
    connect,
    join,
    deliver,
    turn,
    evaluated: () => evaluated,
  };
}
