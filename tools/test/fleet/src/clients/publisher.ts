import type { Publication } from '../model/records.js';
import { Backend, type Outcome, type Patience } from './backend.js';

const PATIENCE: Patience = { giveUpMs: 30_000, retryMs: 200 };

/** A backend whose every event has a key, and is sent until it is accepted. */
export class Publisher extends Backend<Publication> {
  /** One event; settles when it is accepted or given up. */
  publish(channel: string): Promise<Publication> {
    const told = this.newOn(channel);
    return this.tell(told, { idempotency_key: `${this.name}-${channel}-${told.number}` }, PATIENCE);
  }

  protected next(channel: string): Promise<unknown> {
    return this.publish(channel);
  }

  protected tried(_: Publication, { answer }: Outcome): void {
    if (answer === null || answer.status < 400 || answer.status >= 500) return;
    throw new Error(`a publish was refused: HTTP ${answer.status} ${answer.body}`);
  }
}
