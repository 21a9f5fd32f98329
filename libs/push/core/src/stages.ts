import type { Config } from '@carillon/config';
import { type Cloud, CLOUDS, type Provider, PROVIDERS } from '@carillon/push-providers';

/** Stages of push workers, by their names in `workers.push_stages`. */
export const WORKER_STAGES = [
  'planner',
  'shard',
  'dispatch',
  'channels',
  'feedback',
  'retry',
  'scheduler',
  'repair',
  'cleanup',
] as const;

export type WorkerStage = (typeof WORKER_STAGES)[number];

/** Stages of each app. */
export const STAGES_OF_PLANNER: readonly WorkerStage[] = [
  'planner',
  'shard',
  'scheduler',
  'repair',
  'cleanup',
];
export const STAGES_OF_DISPATCH: readonly WorkerStage[] = ['dispatch'];
/** Stage of processes that publish messages: devices addressed by a channel. */
export const STAGES_OF_PUBLISHING: readonly WorkerStage[] = ['channels'];
export const STAGES_OF_FEEDBACK: readonly WorkerStage[] = ['feedback', 'retry'];

const COUNTS: Readonly<Partial<Record<WorkerStage, (push: Config['push']) => number>>> = {
  planner: (push) => push.planner_worker_count,
  shard: (push) => push.shard_worker_count,
  dispatch: (push) => push.dispatch_worker_count,
  channels: (push) => push.dispatch_worker_count,
  feedback: (push) => push.feedback_worker_count,
  retry: (push) => push.retry_worker_count,
  repair: (push) => push.repair_interval_secs,
  cleanup: (push) => push.cleanup_interval_secs,
};

/** Number of workers of a stage in this process; 0: it does not run here. */
export function workersOf(config: Config, stage: WorkerStage, offered: readonly WorkerStage[]): number {
  const chosen = config.workers.push_stages;
  const isChosen = chosen.length === 0 || chosen.includes(stage === 'channels' ? 'dispatch' : stage);
  if (!offered.includes(stage) || !isChosen) return 0;
  return COUNTS[stage]?.(config.push) ?? 1;
}

const enabledClouds = ({ push }: Config): Cloud[] => CLOUDS.filter((cloud) => push[`${cloud}_enabled`]);

/** Enabled providers; channels only if Ably compatibility is on. */
export const enabledProviders = (config: Config): Provider[] => [
  ...enabledClouds(config),
  ...(config.compat.enabled ? (['realtime'] as const) : []),
];

/** Providers for which publishes are rendered, independent of what is enabled. */
export const renderedFor = ({ compat }: Config): readonly Provider[] => (compat.enabled ? PROVIDERS : CLOUDS);

/** Providers whose deliveries are sent by this process. */
export function sentHere(config: Config, offered: readonly WorkerStage[]): Provider[] {
  const runs = (stage: WorkerStage): boolean => workersOf(config, stage, offered) > 0;
  return enabledProviders(config).filter((provider) =>
    runs(provider === 'realtime' ? 'channels' : 'dispatch'),
  );
}
