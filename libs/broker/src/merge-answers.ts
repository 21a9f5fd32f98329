import type { Answer, ChannelOccupancy, Question } from './question.js';

type Merge<Part> = (parts: readonly Part[]) => Part;

const sum: Merge<number> = (parts) => parts.reduce((total, part) => total + part, 0);

const sumPerChannel: Merge<ReadonlyMap<string, number>> = (parts) => {
  const total = new Map<string, number>();
  for (const part of parts) {
    for (const [channel, count] of part) {
      // A peer's 0 must not make an empty channel look occupied.
      if (count > 0) total.set(channel, (total.get(channel) ?? 0) + count);
    }
  }
  return total;
};

const sumOccupancy: Merge<ChannelOccupancy> = (parts) => ({
  connections: sum(parts.map(({ connections }) => connections)),
  publishers: sum(parts.map(({ publishers }) => publishers)),
  subscribers: sum(parts.map(({ subscribers }) => subscribers)),
  presenceConnections: sum(parts.map(({ presenceConnections }) => presenceConnections)),
  presenceSubscribers: sum(parts.map(({ presenceSubscribers }) => presenceSubscribers)),
});

/** One line a kind of question. Sockets live in one process each, so nothing is counted twice. */
const RULES: { readonly [Kind in keyof Question]: Merge<Answer[Kind]> } = {
  channels_with_sockets_count: sumPerChannel,
  batch_channel_sockets_count: sumPerChannel,
  sockets_count: sum,
  terminate_user: sum,
  force_reconnect: sum,
  meta_watched: sum,
  token_revoked: sum,
  acting_socket: (parts) => parts.find((part) => part !== null) ?? null,
  channel_occupancy: sumOccupancy,
  connection_taken: (parts) => parts.flat(),
  comet_request: (parts) => parts.find((part) => part !== null) ?? null,
  stream_frames: (parts) => parts.find((part) => part !== null) ?? null,
  stream_end: (parts) => parts.find((part) => part !== null) ?? null,
};

/**
 * Merges answers of several processes, in any order and grouping, without changing them. Without answers: the answer
 * of a process without sockets.
 */
export function mergeAnswers<Kind extends keyof Question>(
  kind: Kind,
  answers: readonly Answer[Kind][],
): Answer[Kind] {
  return RULES[kind](answers);
}
