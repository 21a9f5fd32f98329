import type { StoreLink } from '../../src/cluster/store.js';

/** The connection with something of it replaced. */
export const wrapped = (
  link: StoreLink,
  {
    call = (...args) => link.call(...args),
    generation = () => link.generation,
  }: {
    readonly call?: StoreLink['call'];
    readonly generation?: () => number;
  },
): StoreLink => ({
  get generation() {
    return generation();
  },
  call,
  health: () => link.health(),
  close: () => link.close(),
});
