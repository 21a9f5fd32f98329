import type { Config } from '@carillon/config';
import type { Edge } from '@carillon/realtime';
import { echoOf, type Message } from '@carillon/protocol';

/** Protocol 2, whose clients choose whether they receive their own events: per message, or else per connection. */
export function edgeV2({ presence, echo_control }: Config, echoMessages: boolean): Edge {
  return {
    protocol: 2,
    tellsPositions: true,
    leaseMs: presence.v2_ungraceful_timeout_seconds * 1000,
    echoes: (_, message: Message): boolean => !echo_control.enabled || (echoOf(message) ?? echoMessages),
  };
}
