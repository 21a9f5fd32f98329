import { randomUUID } from 'node:crypto';
import { sharedNames } from '@carillon/contracts';
import { idPrefix, PubsubClient, type PubsubSettings } from '@carillon/google';
import { hostOf } from '../../cluster/broker-hosts.js';
import type { Wire } from '../../cluster/wire.js';
import { PubsubSession } from './pubsub-session.js';

const BLOCK = 'adapter.google_pubsub';
/** Characters that follow the prefix: `-broadcast.` and the id of a session, or `-commit-` and a lane. */
const ID_ROOM = 60;
const SERVICE_HOST = 'pubsub.googleapis.com';
const SERVICE_PORT = 443;

/**
 * Connects to Google Pub/Sub. Loads the client library at the first attempt.
 *
 * @throws Error when topics cannot be named with the prefix.
 */
export function pubsubWire(settings: PubsubSettings): Wire {
  const names = sharedNames(idPrefix(settings.prefix, BLOCK, ID_ROOM), '-');
  /** Subscriptions of the previous session, which could not be deleted when it was lost. */
  let left: readonly string[] = [];
  return {
    names,
    hosts: [settings.emulator_host ?? SERVICE_HOST].flatMap((host) => hostOf(host, SERVICE_PORT) ?? []),
    open: async (listener) => {
      const client = await PubsubClient.open({ settings, block: BLOCK });
      try {
        const topics = new Set([names.broadcast, names.requests, names.responses, names.writers]);
        await Promise.all([...topics].map((topic) => client.createTopic(topic)));
      } catch (error) {
        await client.close();
        throw error;
      }
      const obsolete = left;
      left = [];
      // An attempt: Pub/Sub deletes them after a day without use.
      for (const id of obsolete) client.deleteSubscription(id).catch(() => undefined);
      return new PubsubSession({
        names,
        client,
        id: randomUUID(),
        listener,
        onLost: (subscriptions) => (left = subscriptions),
      });
    },
  };
}
