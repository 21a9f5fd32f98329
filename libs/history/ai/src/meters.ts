import type { Metrics } from '@carillon/runtime';
import { isAiEvent } from './events.js';

/** Counts accepted and rejected AI messages. */
export class AiMeters {
  constructor(private readonly metrics: Pick<Metrics, 'counter'>) {}

  /** Counts an accepted message. Names outside the protocol are labelled `other`, since they are unbounded. */
  validated(app_id: string, name: string): void {
    const event = isAiEvent(name) ? name : 'other';
    this.metrics.counter('ai_messages_validated_total').for({ app_id, event }).add();
  }

  /** Counts a rejected message by error code. `isUnreadable`: its headers are no object. */
  rejected(app_id: string, code: string, isUnreadable: boolean): void {
    this.metrics.counter('ai_messages_rejected_total').for({ app_id, code }).add();
    if (isUnreadable) this.metrics.counter('ai_messages_unparseable_total').for({ app_id }).add();
  }
}
