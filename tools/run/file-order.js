// The order of test files within a project of vitest: what takes longest begins first, so that no processor idles at the
// end beside a single file. Vitest knows that only of files it has run before, and takes large ones for long.
import { BaseSequencer } from 'vitest/node';

/** Files that take more than ten seconds beside others, longest first: parts of their paths. */
const LONG = [
  'fabric/dist/test/broker-restart-broadcast',
  'fabric/dist/test/broker-real',
  'history/dist/test/long-walks',
  'fabric/dist/test/real-fabric',
  'fabric/dist/test/broker-restart-interest',
  'history/dist/test/page-storms',
  'presence/dist/test/cluster/redis-conformance',
  'history-store/dist/test/embedded',
  'cache/dist/test/redis',
  'database/dist/test/lost-server',
  'queue/dist/test/redis',
  'history/dist/test/lost-rows',
  'fabric/dist/test/lanes-real',
  'uws/dist/test/late-upgrade',
  'history-store/dist/test/module',
  'gateway/dist/test/workers',
  'history-writer/dist/test/writers',
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

const rankOf = ({ moduleId }) => {
  const rank = LONG.findIndex((part) => moduleId.includes(part));
  return rank < 0 ? LONG.length : rank;
};

const groupOf = ({ project }) => project.config.sequence.groupOrder;

/** Files of one project follow each other, so that those which share processes find them running. */
const PROJECTS = ['alone', 'rooms', 'processes', 'busy'];
const placeOf = ({ project }) => PROJECTS.indexOf(project.name);

export class LongestFirst extends BaseSequencer {
  async sort(files) {
    const sorted = await super.sort(files);
    return sorted.sort(
      (one, other) =>
        groupOf(one) - groupOf(other) || placeOf(one) - placeOf(other) || rankOf(one) - rankOf(other),
    );
  }
}
