import type { AssignerProtocol, Cluster, PartitionAssigner } from 'kafkajs';

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** The report of a member of the consumer group when it joins. */
export interface MemberReport {
  /** Partitions with running jobs. */
  readonly busy: readonly TopicPartition[];
  /** True: the member finishes its running jobs and takes no others. */
  readonly isDraining: boolean;
}

export interface Member extends MemberReport {
  readonly id: string;
}

const IDLE: MemberReport = { busy: [], isDraining: false };

/**
 * Distributes the partitions of one topic. A partition with running jobs stays with its member, up to the member's fair
 * share, because a job whose partition moves runs again elsewhere. A draining member keeps busy partitions only.
 */
export function assignPartitions(
  topic: string,
  partitions: readonly number[],
  members: readonly Member[],
): Map<string, number[]> {
  const sorted = [...members].sort((one, other) => (one.id < other.id ? -1 : 1));
  const active = sorted.filter(({ isDraining }) => !isDraining);
  const takers = active.length > 0 ? active : sorted;
  const share = Math.ceil(partitions.length / Math.max(1, takers.length));
  const assigned = new Map(sorted.map(({ id }) => [id, [] as number[]]));
  const free = new Set(partitions);
  for (const { id, busy, isDraining } of sorted) {
    const own = assigned.get(id) ?? [];
    for (const { topic: other, partition } of busy) {
      const hasRoom = isDraining || own.length < share;
      if (other === topic && hasRoom && free.delete(partition)) own.push(partition);
    }
  }
  for (const partition of free) {
    const [least] = takers
      .map(({ id }) => assigned.get(id) ?? [])
      .sort((one, other) => one.length - other.length);
    least?.push(partition);
  }
  return assigned;
}

const encodeReport = ({ busy, isDraining }: MemberReport): Buffer =>
  Buffer.from(JSON.stringify([isDraining, ...busy.map(({ topic, partition }) => [topic, partition])]));

/** Unreadable data counts as no report. */
function decodeReport(data: Buffer): MemberReport {
  try {
    const [isDraining, ...busy] = JSON.parse(data.toString()) as [unknown, ...[string, number][]];
    return {
      isDraining: isDraining === true,
      busy: busy.map(([topic, partition]) => ({ topic, partition })),
    };
  } catch {
    return IDLE;
  }
}

const partitionsOf = (cluster: Cluster, topic: string): number[] =>
  cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId);

const NAME = 'carillon-sticky';
const VERSION = 1;

/** The partition assigner of queue consumers, in the form the client library expects. */
export function stickyAssigner(
  protocol: typeof AssignerProtocol,
  report: () => MemberReport,
): PartitionAssigner {
  return ({ cluster }) => ({
    name: NAME,
    version: VERSION,
    protocol: ({ topics }) => ({
      name: NAME,
      metadata: protocol.MemberMetadata.encode({
        version: VERSION,
        topics,
        userData: encodeReport(report()),
      }),
    }),
    assign: ({ members, topics }) => {
      const known = members.map(({ memberId: id, memberMetadata }) => ({
        id,
        ...decodeReport(protocol.MemberMetadata.decode(memberMetadata)?.userData ?? Buffer.alloc(0)),
      }));
      const byTopic = topics.map(
        (topic) => [topic, assignPartitions(topic, partitionsOf(cluster, topic), known)] as const,
      );
      return Promise.resolve(
        known.map(({ id }) => ({
          memberId: id,
          memberAssignment: protocol.MemberAssignment.encode({
            version: VERSION,
            assignment: Object.fromEntries(
              byTopic.map(([topic, assigned]) => [topic, assigned.get(id) ?? []]),
            ),
            userData: Buffer.alloc(0),
          }),
        })),
      );
    },
  });
}
