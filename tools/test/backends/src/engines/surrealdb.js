// SurrealDB: the engine of its Node package behind a WebSocket server of our own, with data on disk.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answers } from '../wire/http.js';

const SERVER = fileURLToPath(new URL('surrealdb/main.js', import.meta.url));

/** @type {import('../types.js').Engine} */
export const surrealdb = {
  name: 'surrealdb',
  needs: { programs: {}, packages: [] },
  portCount: 1,

  async plan({ folder, ports }) {
    const [port = 0] = ports;
    const args = [SERVER, join(folder, 'data'), String(port)];
    const node = { name: 'main', port, command: process.execPath, args };
    return { url: `ws://127.0.0.1:${port}`, nodes: [node] };
  },

  async ready(url) {
    await answers(`${url.replace(/^ws/, 'http')}/health`);
  },
};
