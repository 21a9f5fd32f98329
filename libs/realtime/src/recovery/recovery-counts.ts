import { codeOf } from '@carillon/protocol';
import type { Metrics } from '@carillon/runtime';
import type { ResumesParts } from './resumes.js';

/** Counts the results of channel recoveries. */
export const recoveryCounts = (metrics: Metrics): Pick<ResumesParts, 'failed' | 'recovered'> => ({
  recovered: ({ appId: app_id }, source) =>
    metrics.counter('history_recovery_success_total').for({ app_id, source }).add(),
  failed: ({ appId: app_id }, { reason }) =>
    metrics
      .counter('history_recovery_failures_total')
      .for({ app_id, code: codeOf(reason) })
      .add(),
});
