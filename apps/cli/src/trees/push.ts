import type { CommandSpec } from '../program/spec.js';

export const PUSH: CommandSpec = {
  name: 'push',
  about: 'Creates keys for Web Push, sends push notifications and shows their state.',
  commands: [
    {
      name: 'keys',
      about: 'Generates a key pair for Web Push (VAPID).',
      flags: [{ flags: '--subject <URL>', about: 'contact of the sender: a mailto: or https: URL' }],
      examples: ['carillon push keys', 'carillon push keys --subject mailto:ops@example.com --json'],
      load: () => import('../commands/push-keys.js'),
    },
    {
      name: 'send',
      about: 'Sends a push notification.',
      flags: [
        { flags: '--channel <NAME>', about: 'subscribers of a channel', repeats: true },
        { flags: '--client <ID>', about: 'devices of a client', repeats: true },
        { flags: '--device <ID>', about: 'a device', repeats: true },
        { flags: '--title <TEXT>', about: 'title' },
        { flags: '--body <TEXT>', about: 'body' },
        { flags: '--data <JSON>', about: 'data of the template, an object' },
        { flags: '--template <ID>', about: 'id of a template' },
        { flags: '--file <FILE>', about: 'the whole request body; - reads standard input' },
        {
          flags: '--not-before <TIME>',
          about: 'earliest time: a duration from now, Unix milliseconds or RFC 3339',
        },
        {
          flags: '--expires <TIME>',
          about: 'latest time: a duration from now, Unix milliseconds or RFC 3339',
        },
        { flags: '--wait', about: 'wait for a final state within --timeout' },
      ],
      examples: [
        'carillon push send --client ada --title Ready --body "Order 77 is ready"',
        'carillon push send --channel orders --template order-ready --wait --timeout 1m',
      ],
      load: () => import('../commands/push-send.js'),
    },
    {
      name: 'status',
      about: 'Prints the state of a push notification.',
      arguments: [{ name: 'ID' }],
      examples: ['carillon push status order-77', 'carillon push status order-77 --json'],
      load: () => import('../commands/push-status.js'),
    },
    {
      name: 'credentials',
      about: 'Lists and stores credentials of push providers.',
      commands: [
        {
          name: 'list',
          about: 'Lists stored credentials, without secrets.',
          examples: ['carillon push credentials list', 'carillon push credentials list --json'],
          load: () => import('../commands/push-credentials-list.js'),
        },
        {
          name: 'set',
          about: 'Stores the credential of a provider.',
          arguments: [{ name: 'PROVIDER', values: ['fcm', 'apns', 'webpush', 'hms', 'wns'] }],
          flags: [{ flags: '--file <FILE>', about: 'JSON object of the credential; - reads standard input' }],
          examples: [
            'carillon push credentials set webpush --file webpush.json',
            'carillon push credentials set fcm --file - < fcm.json',
          ],
          load: () => import('../commands/push-credentials-set.js'),
        },
      ],
    },
  ],
};
