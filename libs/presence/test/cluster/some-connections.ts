import * as fc from 'fast-check';

export const NODES = 3;

/** One of a few connections of a few users to a few processes, as fields of a step. */
export const someConnection = {
  node: fc.nat({ max: NODES - 1 }),
  user: fc.constantFrom('ada', 'bo'),
  socket: fc.nat({ max: 1 }),
};

export const socketOf = ({ node, socket }: { readonly node: number; readonly socket: number }): string =>
  `${node}.${socket}`;
