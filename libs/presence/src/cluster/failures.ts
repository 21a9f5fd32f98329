/**
 * The lease of this node has expired and the operation had no effect: the store or this process was unavailable for
 * too long.
 */
export class LeaseLapsed extends Error {
  override readonly name = 'LeaseLapsed';

  constructor() {
    super('the lease of this process in the shared store has ended');
  }
}
