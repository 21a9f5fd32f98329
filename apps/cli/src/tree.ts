import { APPS, CONNECTIONS, DISCONNECT, QUEUE, TAIL, WEBHOOKS } from './trees/management.js';
import { BENCH, CHANNELS, HISTORY, PRESENCE, PUBLISH, SUBSCRIBE, TRIGGER } from './trees/messages.js';
import { PUSH } from './trees/push.js';
import { COMPLETION, CONFIG, DOCTOR, HELP, SERVE, VERSION } from './trees/service.js';
import { TOKEN } from './trees/tokens.js';
import type { CommandSpec } from './program/spec.js';

/** Every command, in the order of help and the reference page. */
export const COMMANDS: CommandSpec = {
  name: 'carillon',
  about: 'Runs the Carillon service, and works with one from the command line.',
  examples: ['carillon serve', 'carillon publish orders order.created \'{"id":77}\''],
  commands: [
    SERVE,
    CONFIG,
    DOCTOR,
    PUBLISH,
    TRIGGER,
    SUBSCRIBE,
    TAIL,
    CHANNELS,
    PRESENCE,
    HISTORY,
    CONNECTIONS,
    DISCONNECT,
    APPS,
    TOKEN,
    QUEUE,
    WEBHOOKS,
    PUSH,
    BENCH,
    COMPLETION,
    VERSION,
    HELP,
  ],
};
