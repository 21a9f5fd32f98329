import { dialectOf } from './dialects.js';

/** The path a client connects to. @param {import('./model.js').Server} server */
export const clientPath = (server) => dialectOf(server).path(server.credentials);
