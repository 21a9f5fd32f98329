import type { Config } from '@carillon/config';
import type { Edge, Subscriber } from '@carillon/hub';
import { echoOf, type Message } from '@carillon/protocol';
import { ConnectionV2 } from './connection-v2.js';

/** Protocol 2, whose clients get what they sent themselves unless they or their message say otherwise. */
export function edgeV2({ presence, echo_control }: Config): Edge {
  return {
    protocol: 2,
    leaseMs: presence.v2_ungraceful_timeout_seconds * 1000,
    echoes: (sender: Subscriber, message: Message): boolean => {
      if (!echo_control.enabled) return true;
      return echoOf(message) ?? (sender instanceof ConnectionV2 && sender.options.echoMessages);
    },
  };
}
