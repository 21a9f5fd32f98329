import { accepted } from '../outcome.js';
import type { PushProviders } from '../port.js';

/** Accepts everything without any request, not even for a token. */
export const DRY_RUN: PushProviders = {
  open: async ({ provider }) => ({
    provider,
    usage: { connections: 0, streams: 0 },
    send: async ({ deliveryKey }) => accepted(`dry-run:${deliveryKey.slice(0, 16)}`),
    close: async () => {},
  }),
};
