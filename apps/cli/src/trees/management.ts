import type { CommandSpec, FlagSpec } from '../program/spec.js';

const SET: FlagSpec = {
  flags: '--set <PATH=VALUE>',
  about: 'a member of the record, as policy.limits.max_connections=50; the value is JSON, else text',
  repeats: true,
};
const FILE: FlagSpec = { flags: '--file <FILE>', about: 'JSON object of members; - reads standard input' };
const QUEUE_NAME: FlagSpec = { flags: '--queue <NAME>', about: 'name of the queue' };

export const APPS: CommandSpec = {
  name: 'apps',
  about: 'Creates, shows and changes apps, by the management API or on the stores of the configuration.',
  commands: [
    {
      name: 'list',
      about: 'Lists apps.',
      examples: ['carillon apps list', 'carillon apps list --direct --json'],
      load: () => import('../commands/apps-list.js'),
    },
    {
      name: 'show',
      about: 'Prints an app, without its secret.',
      arguments: [{ name: 'ID' }],
      examples: ['carillon apps show shop', 'carillon apps show shop --direct --json'],
      load: () => import('../commands/apps-show.js'),
    },
    {
      name: 'create',
      about: 'Creates an app and prints its secret once.',
      arguments: [{ name: 'ID', isOptional: true }],
      flags: [SET, FILE],
      examples: [
        'carillon apps create shop',
        'carillon apps create shop --set policy.limits.max_connections=50',
      ],
      load: () => import('../commands/apps-create.js'),
    },
    {
      name: 'update',
      about: 'Changes named members of an app.',
      arguments: [{ name: 'ID' }],
      flags: [SET, { flags: '--unset <PATH>', about: 'remove a member', repeats: true }, FILE],
      examples: [
        'carillon apps update shop --set policy.limits.max_connections=50',
        'carillon apps update shop --unset policy.limits.max_connections',
      ],
      load: () => import('../commands/apps-update.js'),
    },
    {
      name: 'disable',
      about: 'Disables an app: requests are refused, connections closed.',
      arguments: [{ name: 'ID' }],
      examples: ['carillon apps disable shop', 'carillon apps disable shop --yes --direct'],
      load: () => import('../commands/apps-disable.js'),
    },
    {
      name: 'enable',
      about: 'Enables an app.',
      arguments: [{ name: 'ID' }],
      examples: ['carillon apps enable shop', 'carillon apps enable shop --direct'],
      load: () => import('../commands/apps-enable.js'),
    },
    {
      name: 'delete',
      about: 'Deletes a disabled app.',
      arguments: [{ name: 'ID' }],
      examples: ['carillon apps delete shop', 'carillon apps delete shop --yes --json'],
      load: () => import('../commands/apps-delete.js'),
    },
    {
      name: 'rotate-secret',
      about: 'Replaces the secret of an app; the previous one stays valid for a time.',
      arguments: [{ name: 'ID' }],
      flags: [{ flags: '--grace <DURATION>', about: 'how long the previous secret stays valid' }],
      examples: [
        'carillon apps rotate-secret shop --grace 24h',
        'carillon apps rotate-secret shop --yes --json',
      ],
      load: () => import('../commands/apps-rotate-secret.js'),
    },
  ],
};

export const TAIL: CommandSpec = {
  name: 'tail',
  about: 'Prints what happens in an app: messages, subscriptions, errors.',
  arguments: [{ name: 'CHANNEL', isOptional: true }],
  flags: [
    { flags: '--user <ID>', about: 'connections of a user' },
    { flags: '--connection <ID>', about: 'one connection' },
    { flags: '--payload <MODE>', about: 'whether data is shown', values: ['full', 'none'] },
    { flags: '--sample <N>', about: 'one of N messages' },
  ],
  examples: ['carillon tail orders', 'carillon tail --user ada --payload none --json'],
  isStream: true,
  load: () => import('../commands/tail.js'),
};

export const CONNECTIONS: CommandSpec = {
  name: 'connections',
  about: 'Lists connections.',
  flags: [
    { flags: '--user <ID>', about: 'connections of a user' },
    { flags: '--channel <NAME>', about: 'subscribers of a channel of --app' },
    { flags: '--limit <N>', about: 'connections of a page' },
    { flags: '--all', about: 'all pages' },
  ],
  examples: ['carillon connections --user ada', 'carillon connections --app shop --channel orders --all'],
  load: () => import('../commands/connections.js'),
};

export const DISCONNECT: CommandSpec = {
  name: 'disconnect',
  about: 'Closes the connections of a user, or one connection.',
  flags: [
    { flags: '--user <ID>', about: 'connections of a user' },
    { flags: '--connection <ID>', about: 'one connection' },
    { flags: '--reconnect', about: 'let the clients reconnect' },
  ],
  examples: ['carillon disconnect --user ada', 'carillon disconnect --connection 123.456 --yes'],
  load: () => import('../commands/disconnect.js'),
};

export const QUEUE: CommandSpec = {
  name: 'queue',
  about: 'Shows queues, and replays or deletes dead letters.',
  commands: [
    {
      name: 'stats',
      about: 'Prints the length of every queue.',
      examples: ['carillon queue stats', 'carillon queue stats --json'],
      load: () => import('../commands/queue-stats.js'),
    },
    {
      name: 'dead',
      about: 'Lists, shows or deletes dead letters of a queue.',
      arguments: [{ name: 'QUEUE' }],
      flags: [
        { flags: '--limit <N>', about: 'dead letters of a page' },
        { flags: '--show <ID>', about: 'print one dead letter with its payload' },
        { flags: '--delete <ID>', about: 'delete a dead letter', repeats: true },
      ],
      examples: ['carillon queue dead webhooks', 'carillon queue dead webhooks --show 01JX --json'],
      load: () => import('../commands/queue-dead.js'),
    },
    {
      name: 'replay',
      about: 'Returns dead letters to their queue.',
      arguments: [{ name: 'ID', isOptional: true, repeats: true }],
      flags: [QUEUE_NAME, { flags: '--all', about: 'all dead letters of the queue' }],
      examples: [
        'carillon queue replay 01JX --queue webhooks',
        'carillon queue replay --all --queue webhooks --yes',
      ],
      load: () => import('../commands/queue-replay.js'),
    },
  ],
};

export const WEBHOOKS: CommandSpec = {
  name: 'webhooks',
  about: 'Tests webhooks.',
  commands: [
    {
      name: 'test',
      about: 'Sends one signed test request to a receiver.',
      arguments: [{ name: 'URL' }],
      flags: [
        { flags: '--event <NAME>', about: 'name of the event; default channel_occupied' },
        {
          flags: '--from-service',
          about: 'let the service send it, to the webhook of the app with this URL',
        },
      ],
      examples: [
        'carillon webhooks test https://example.com/webhooks',
        'carillon webhooks test http://127.0.0.1:3000/webhooks --event member_added --json',
      ],
      load: () => import('../commands/webhooks-test.js'),
    },
  ],
};
