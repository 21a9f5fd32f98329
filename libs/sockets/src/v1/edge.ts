import type { Config } from '@carillon/config';
import type { Edge } from '@carillon/realtime';

/** Protocol 1, whose clients never receive their own events. */
export const edgeV1 = ({ presence }: Config): Edge => ({
  protocol: 1,
  leaseMs: presence.ungraceful_timeout_seconds * 1000,
  echoes: () => false,
});
