import { pubsubLoad } from '../load/pubsub-load.js';
import { inParallel, shareOf } from '../load/shares.js';
import { shortLife } from '../load/short-life.js';

/** Lives before memory is first read: enough for the server's code to be compiled and its tables to exist… */
const WARM_UP_LIVES = 1000;
/** …and few enough at a time that what they leave free is small beside what is then measured. */
const WARM_UP_AT_ONCE = 25;

/** Subscribed connections that do nothing: what one costs to hold. @type {import('./metrics.js').Scenario} */
export const conns = {
  name: 'conns',
  summary: 'idle subscribed connections: memory of each, CPU of all',
  defaults: { connections: 10_000, channels: 100, rate: 0 },
  needs: 'key',
  dialects: ['v1', 'v2', 'ably', 'ably-msgpack'],
  fresh: true,
  collects: true,
  load: (context) => {
    const { server, settings, share } = context;
    const lives = shareOf(Math.min(WARM_UP_LIVES, settings.connections), share);
    return {
      ...pubsubLoad({ ...context, settings: { ...settings, rate: 0 } }),
      warmUp: () =>
        inParallel(lives, WARM_UP_AT_ONCE, (life) => shortLife(server, `bench-${life % settings.channels}`)),
    };
  },
  rows: [
    { key: 'connections', title: 'connections held', digits: 0 },
    { key: 'bytes', title: 'memory per connection, bytes', digits: 0, compare: true, headline: true },
    { key: 'bytes_at_once', title: 'with the garbage of connecting, bytes', digits: 0 },
    { key: 'rss_mb', title: 'resident memory, MiB', digits: 1, compare: true },
    { key: 'idle_percent', title: 'CPU while idle, % of one core', digits: 2 },
    { key: 'failed', title: 'connections lost', digits: 0 },
  ],
  metrics: ({ seconds, totals, cpuUs, rssBytes }, { connections }) => {
    const lost = totals['lost'] ?? 0;
    return {
      connections: connections - lost,
      bytes: rssBytes === null ? null : (rssBytes.settled - rssBytes.before) / connections,
      bytes_at_once: rssBytes === null ? null : (rssBytes.ready - rssBytes.before) / connections,
      rss_mb: rssBytes === null ? null : rssBytes.settled / 2 ** 20,
      idle_percent: cpuUs === null ? null : cpuUs / seconds / 10_000,
      failed: lost,
    };
  },
};
