/** The lease of this node has ended and nothing was done: the store or this process was away for too long. */
export class LeaseLapsed extends Error {
  override readonly name = 'LeaseLapsed';

  constructor() {
    super('the lease of this process in the shared store has ended');
  }
}
