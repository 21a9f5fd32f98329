// One NATS server with JetStream, and a user whom it does not let do everything.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { natsRequest } from '../wire/nats.js';

const USERS = new URL('nats-users.conf', import.meta.url);

/** @param {string} folder @param {number} port */
const settings = (folder, port) => `host: "127.0.0.1"
port: ${port}
jetstream { store_dir: "${join(folder, 'jetstream')}", max_memory_store: 128MB, max_file_store: 2GB }
${readFileSync(USERS, 'utf8')}`;

/** @type {import('../types.js').Engine} */
export const nats = {
  name: 'nats',
  needs: { programs: { server: ['nats-server'] }, packages: ['nats-server'] },
  portCount: 1,
  service: 'nats',
  containerUrl: (port) => `nats://127.0.0.1:${port}`,

  async plan({ folder, ports, tools }) {
    const [port = 0] = ports;
    const file = join(folder, 'nats.conf');
    writeFileSync(file, settings(folder, port));
    const node = { name: 'main', port, command: tools.programs.server ?? '', args: ['-c', file] };
    return { url: `nats://127.0.0.1:${port}`, nodes: [node] };
  },

  async ready(url) {
    await natsRequest(url, '$JS.API.INFO');
  },
};
