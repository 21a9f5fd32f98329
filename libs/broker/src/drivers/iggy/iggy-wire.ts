import { sharedNames } from '@carillon/contracts';
import { ensureTopics, iggyAddress, type IggySettings, openIggy, streamOptions } from '@carillon/iggy';
import type { Wire } from '../../cluster/wire.js';
import { IggySession } from './iggy-session.js';

export interface IggyWireOptions {
  readonly settings: IggySettings;
  /** Number of commit lanes. */
  readonly lanes: number;
}

const BLOCK = 'adapter.iggy';
/** Live messages are read immediately or never; a process that is this far behind has lost them. */
const EXPIRY_MS = 600_000;

/** The way to Iggy, over its HTTP API. Throws when the settings cannot be used. */
export function iggyWire({ settings, lanes }: IggyWireOptions): Wire {
  const { servers } = iggyAddress(settings, BLOCK);
  const { topic_prefix: prefix, partitions_count: partitions } = settings;
  const names = sharedNames(prefix, '-');
  const laneTopics = { commit: `${prefix}-commit`, read: `${prefix}-read` };
  const plans = [
    ...[names.broadcast, names.requests, names.responses, names.writers].map((topic) => ({
      topic,
      partitions,
    })),
    ...[laneTopics.commit, laneTopics.read].map((topic) => ({ topic, partitions: lanes })),
  ].map((plan) => ({ ...plan, expiryMs: EXPIRY_MS }));
  return {
    names,
    hosts: servers,
    open: async (listener) => {
      const client = openIggy(settings, BLOCK);
      try {
        await ensureTopics(client, streamOptions(settings, BLOCK), plans);
        return new IggySession({ client, settings, names, laneTopics, listener });
      } catch (error) {
        client.close();
        throw error;
      }
    },
  };
}
