import type { CommandSpec, FlagSpec } from '../program/spec.js';

const SCOPES: FlagSpec = {
  flags: '--scopes <LIST>',
  about: 'comma-separated scopes of read, write, admin; default read',
};
const APPS: FlagSpec = { flags: '--apps <LIST>', about: 'comma-separated app ids; default *' };
const NAME: FlagSpec = { flags: '--name <NAME>', about: 'name of the token in logs and the audit log' };
const USER_INFO: FlagSpec = { flags: '--user-info <JSON>', about: 'information about the user' };
const SOCKET_ID: FlagSpec = { flags: '--socket-id <ID>', about: 'id of the connection' };

export const TOKEN: CommandSpec = {
  name: 'token',
  about: 'Mints and inspects tokens, on this machine.',
  commands: [
    {
      name: 'mint',
      about: 'Mints a token.',
      commands: [
        {
          name: 'capability',
          about: 'Mints a capability token of a client.',
          flags: [
            { flags: '--client-id <ID>', about: 'id of the client' },
            {
              flags: '--allow <PATTERN=OPERATIONS>',
              about: 'operations on a channel pattern',
              repeats: true,
            },
            { flags: '--ttl <DURATION>', about: 'life of the token, at most 24h; default 1h' },
            { flags: '--jti <ID>', about: 'id of the token; default: a random one' },
          ],
          examples: [
            "carillon token mint capability --client-id ada --allow 'room:*=subscribe,history'",
            "carillon token mint capability --client-id ada --allow '*=publish' --ttl 15m --json",
          ],
          load: () => import('../commands/token-capability.js'),
        },
        {
          name: 'channel',
          about: 'Prints the answer of a channel authorization endpoint.',
          arguments: [{ name: 'CHANNEL' }],
          flags: [
            SOCKET_ID,
            { flags: '--user-id <ID>', about: 'id of the member of a presence channel' },
            USER_INFO,
          ],
          examples: [
            'carillon token mint channel private-orders --socket-id 123.456',
            'carillon token mint channel presence-room --socket-id 123.456 --user-id ada',
          ],
          load: () => import('../commands/token-channel.js'),
        },
        {
          name: 'user',
          about: 'Prints the answer of a user authentication endpoint.',
          flags: [
            SOCKET_ID,
            { flags: '--user-id <ID>', about: 'id of the user' },
            USER_INFO,
            { flags: '--watchlist <LIST>', about: 'comma-separated ids of watched users' },
          ],
          examples: [
            'carillon token mint user --socket-id 123.456 --user-id ada',
            'carillon token mint user --socket-id 123.456 --user-id ada --watchlist bob,eve',
          ],
          load: () => import('../commands/token-user.js'),
        },
        {
          name: 'mcp',
          about: 'Mints a token of the tool protocol, and prints its configuration.',
          flags: [NAME, SCOPES, APPS],
          examples: [
            'carillon token mint mcp --name assistant',
            'carillon token mint mcp --name ops --scopes read,write --apps shop --json',
          ],
          load: () => import('../commands/token-mcp.js'),
        },
        {
          name: 'management',
          about: 'Mints an operator token of the management API, and prints its configuration.',
          flags: [
            NAME,
            SCOPES,
            APPS,
            { flags: '--expires <DURATION>', about: 'life of the token; default: no end' },
          ],
          examples: [
            'carillon token mint management --name ops --scopes read,write,admin',
            'carillon token mint management --name board --expires 90d --json',
          ],
          load: () => import('../commands/token-management.js'),
        },
      ],
    },
    {
      name: 'inspect',
      about: 'Prints the claims of a capability token, and verifies it.',
      arguments: [{ name: 'TOKEN' }],
      examples: ['carillon token inspect - < token.txt', 'carillon token inspect @token.txt --json'],
      load: () => import('../commands/token-inspect.js'),
    },
  ],
};
