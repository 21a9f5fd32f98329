import type { CommandSpec, FlagSpec } from '../program/spec.js';

const PUBLISH_FLAGS: readonly FlagSpec[] = [
  { flags: '--tag <NAME=VALUE>', about: 'tag for subscription filters', repeats: true },
  { flags: '--header <NAME=VALUE>', about: 'header of the message', repeats: true },
  { flags: '--message-id <ID>', about: 'id of the message' },
  { flags: '--idempotency-key <KEY>', about: 'key of the request; default: a random one' },
  { flags: '--info <LIST>', about: 'counts to return: subscription_count, user_count' },
  { flags: '--ephemeral', about: 'neither store nor recover the event' },
  { flags: '--no-delta', about: 'send the whole message instead of a delta' },
  { flags: '--base64', about: 'publish the base64 text of the bytes of the data' },
];

export const PUBLISH: CommandSpec = {
  name: 'publish',
  about: 'Publishes an event to one channel or several.',
  arguments: [{ name: 'CHANNEL[,CHANNEL]' }, { name: 'EVENT' }, { name: 'DATA', isOptional: true }],
  flags: [
    ...PUBLISH_FLAGS,
    { flags: '--exclude <SOCKET>', about: 'id of the connection that does not receive the event' },
    { flags: '--repeat <N>', about: 'publish N times' },
    { flags: '--every <DURATION>', about: 'time between two repetitions; default 1s' },
  ],
  examples: [
    'carillon publish orders order.created \'{"id":77}\'',
    'carillon publish orders,audit order.created - < order.json',
  ],
  load: () => import('../commands/publish.js'),
};

export const TRIGGER: CommandSpec = {
  name: 'trigger',
  about: "Publishes with the flags of Pusher's tools, or a batch of events.",
  flags: [
    { flags: '--channel <NAME>', about: 'channel', repeats: true },
    { flags: '--event <NAME>', about: 'name of the event' },
    { flags: '--data <DATA>', about: 'data; - reads standard input, @FILE a file' },
    { flags: '--message <DATA>', about: 'the same as --data' },
    { flags: '--socket-id <SOCKET>', about: 'id of the connection that does not receive the event' },
    ...PUBLISH_FLAGS,
    {
      flags: '--batch <FILE>',
      about: 'publish the events of a file, or of standard input (-): NDJSON or a JSON array',
    },
    { flags: '--batch-size <N>', about: 'events in one request of a batch; default 10' },
  ],
  examples: [
    'carillon trigger --channel orders --event order.created --data \'{"id":77}\'',
    'carillon trigger --batch events.ndjson --batch-size 50',
  ],
  load: () => import('../commands/trigger.js'),
};

export const SUBSCRIBE: CommandSpec = {
  name: 'subscribe',
  about: 'Prints the events of channels as they arrive.',
  arguments: [{ name: 'CHANNEL', repeats: true }],
  flags: [
    { flags: '--rewind <N|DURATION>', about: 'start with stored events: a number, or those of a duration' },
    { flags: '--event <NAME>', about: 'only events of this name', repeats: true },
    { flags: '--filter <JSON>', about: 'only events whose tags match the filter' },
    { flags: '--user-id <ID>', about: 'id of the member of presence channels; default cli-PID' },
    { flags: '--user-info <JSON>', about: 'information about the member' },
    { flags: '--capability <TOKEN>', about: 'capability token; - reads standard input, @FILE a file' },
    { flags: '--count <N>', about: 'end after N events' },
    { flags: '--duration <DURATION>', about: 'end after this time' },
    { flags: '--raw', about: 'print frames as they are received, and nothing else' },
  ],
  examples: [
    'carillon subscribe orders private-audit',
    'carillon subscribe orders --rewind 10 --count 20 --json',
  ],
  isStream: true,
  load: () => import('../commands/subscribe.js'),
};

export const CHANNELS: CommandSpec = {
  name: 'channels',
  about: 'Lists occupied channels.',
  flags: [
    { flags: '--prefix <PREFIX>', about: 'only channels whose names begin with it' },
    { flags: '--info <LIST>', about: 'counts to return: subscription_count, user_count' },
  ],
  examples: ['carillon channels', 'carillon channels --prefix presence- --info user_count'],
  load: () => import('../commands/channels.js'),
};

export const PRESENCE: CommandSpec = {
  name: 'presence',
  about: 'Lists the members of a presence channel, or its presence history.',
  arguments: [{ name: 'CHANNEL' }],
  flags: [
    { flags: '--history', about: 'the events of the presence history' },
    { flags: '--snapshot', about: 'the members by the presence history' },
  ],
  examples: ['carillon presence presence-room', 'carillon presence presence-room --history --json'],
  load: () => import('../commands/presence.js'),
};

export const HISTORY: CommandSpec = {
  name: 'history',
  about: 'Prints stored events of a channel.',
  arguments: [{ name: 'CHANNEL' }],
  flags: [
    { flags: '--limit <N>', about: 'events of a page' },
    { flags: '--direction <ORDER>', about: 'order', values: ['newest_first', 'oldest_first'] },
    { flags: '--since <TIME>', about: 'earliest time: a duration before now, Unix milliseconds or RFC 3339' },
    { flags: '--until <TIME>', about: 'latest time' },
    { flags: '--from-serial <N>', about: 'first serial' },
    { flags: '--all', about: 'all pages; with --json one item per line' },
  ],
  examples: ['carillon history orders --limit 20', 'carillon history orders --since 1h --all --json'],
  load: () => import('../commands/history.js'),
};

export const BENCH: CommandSpec = {
  name: 'bench',
  about: 'Measures delivery: publishes at a rate to subscribers of its own.',
  flags: [
    { flags: '--connections <N>', about: 'connections; default 100, at most 10000' },
    { flags: '--channels <N>', about: 'channels; default 1, at most 1000' },
    { flags: '--rate <N>', about: 'publishes per second; default 100, at most 10000' },
    { flags: '--duration <DURATION>', about: 'time of publishing; default 10s, at most 10m' },
    { flags: '--payload <BYTES>', about: 'bytes of the data; default 100, at most 65536' },
  ],
  examples: ['carillon bench', 'carillon bench --connections 500 --rate 200 --duration 30s --json'],
  load: () => import('../commands/bench.js'),
};
