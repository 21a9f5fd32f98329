import type { Metrics } from '@carillon/runtime';
import { isAiEvent } from './events.js';

/** Counts what AI transport lets through and what it refuses. */
export class AiMeters {
  constructor(private readonly metrics: Pick<Metrics, 'counter'>) {}

  /** Names that are not its own are told as `other`, of which there may be any number. */
  validated(app_id: string, name: string): void {
    const event = isAiEvent(name) ? name : 'other';
    this.metrics.counter('ai_messages_validated_total').for({ app_id, event }).add();
  }

  /** By the code of the error; `isUnreadable`: its headers are none. */
  rejected(app_id: string, code: string, isUnreadable: boolean): void {
    this.metrics.counter('ai_messages_rejected_total').for({ app_id, code }).add();
    if (isUnreadable) this.metrics.counter('ai_messages_unparseable_total').for({ app_id }).add();
  }
}
