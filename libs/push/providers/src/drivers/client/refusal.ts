import type { SendOutcome } from '../../outcome.js';

/** A send ends before it is sent, with this outcome. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(readonly outcome: SendOutcome) {
    super(outcome.kind);
  }
}
