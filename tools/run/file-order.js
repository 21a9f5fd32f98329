// The order of test files within a project of vitest: shuffled by the seed of the run, so that a file that depends on the
// ones before it does not pass for ever. Long files come first, so that no processor idles at the end beside one file.
import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { BaseSequencer } from 'vitest/node';
import { SEED } from './seed.js';
import { root } from './workspace.js';

/** Files that take more than ten seconds beside others: parts of their paths. */
const LONG = [
  'broker/dist/test/broker-restart-broadcast',
  'broker/dist/test/broker-real',
  'history/dist/test/long-walks',
  'broker/dist/test/real-brokers',
  'broker/dist/test/broker-restart-interest',
  'history/dist/test/page-storms',
  'presence/dist/test/cluster/redis-conformance',
  'history-store/dist/test/embedded',
  'cache/dist/test/redis',
  'database/dist/test/lost-server',
  'queue/dist/test/redis',
  'history/dist/test/lost-rows',
  'broker/dist/test/lanes-real',
  'uws/dist/test/late-upgrade',
  'history-store/dist/test/module',
  'gateway/dist/test/workers',
  'history-writer/dist/test/writers',
  'history-store/dist/test/record-backends',
  'records/dist/test/scylla',
  'records/dist/test/dynamodb',
  'records/dist/test/surreal',
  'push-store/dist/test/dynamodb',
  'push-store/dist/test/scylladb',
  'queue/dist/test/google-pubsub',
  'queue/dist/test/kafka',
  'queue/dist/test/rabbitmq-failures',
  'queue/dist/test/sqs',
  'history/dist/test/living-',
  'history/dist/test/verification',
  'history-store/dist/test/adopted',
  'push-api/dist/test/hand-over',
  'webhooks/dist/test/whole/fair-apps',
  'app-registry/dist/test/scylla',
  'webhooks/brokers',
  'deploy/test/images',
  'running/heartbeat',
  'engines/test/leaves-nothing',
  'server/dist/test/configuration',
  'server/dist/test/app-stores',
  'webhooks/worker',
  'mcp/starting',
  'history/presence-history',
  'cluster/',
  'running/',
  'push/workers',
  'fleet/dist/test/faults',
];

const isLong = ({ moduleId }) => LONG.some((part) => moduleId.includes(part));

/** Returns a number that depends on the seed and the path alone. */
const shuffleKey = (seed, { moduleId }) =>
  createHash('sha256')
    .update(`${seed} ${relative(root, moduleId)}`)
    .digest()
    .readUIntBE(0, 6);

const groupOf = ({ project }) => project.config.sequence.groupOrder;

/** Files of one project follow each other, so that those which share processes find them running. */
const PROJECTS = ['alone', 'packages', 'processes', 'busy'];
const projectRank = ({ project }) => PROJECTS.indexOf(project.name);

export class FileOrder extends BaseSequencer {
  async sort(files) {
    const seed = process.env[SEED];
    const keys = new Map(files.map((file) => [file, shuffleKey(seed, file)]));
    return [...files].sort(
      (one, other) =>
        groupOf(one) - groupOf(other) ||
        projectRank(one) - projectRank(other) ||
        Number(isLong(other)) - Number(isLong(one)) ||
        keys.get(one) - keys.get(other),
    );
  }
}
