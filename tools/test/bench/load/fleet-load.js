import { pubsubLoad } from './pubsub-load.js';
import { together } from './together.js';

/** Publisher and subscribers at one process that is alone. */
export const ALONE = 'one process';
/** Publisher and subscribers at one node of several, which tells the broker all the same. */
export const AT_ONE = 'one node';
/** Publishes to one node, subscribers at another. */
export const ACROSS = 'two nodes';

/** The same server at another port. @param {import('./model.js').Server} server @param {number | undefined} port @returns {import('./model.js').Server} */
export const at = (server, port = server.port) => ({
  ...server,
  port,
  authority: `${server.host}:${port}`,
});

/**
 * The same publishes and subscribers at a single process, at one node and across two nodes, one after the other.
 * @param {import('./model.js').LoadContext} context
 * @returns {import('./model.js').Load}
 */
export function fleetLoad(context) {
  const { server } = context;
  const alone = at(server, server.singlePort);
  /** @type {Record<string, import('./model.js').Load>} */
  const loads = {
    [ALONE]: pubsubLoad({ ...context, server: alone }),
    [AT_ONE]: pubsubLoad({ ...context, prefix: 'at-one' }),
    [ACROSS]: pubsubLoad({
      ...context,
      server: at(server, server.otherPort),
      publishTo: server,
      prefix: 'across',
    }),
  };
  const all = together(...Object.values(loads));
  return { ...all, start: (startUs, phase) => loads[phase.name]?.start(startUs, phase) };
}
