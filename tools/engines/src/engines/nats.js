// One NATS server with JetStream.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { natsRequest } from '../wire/nats.js';

/** @param {string} folder @param {number} port */
const settings = (folder, port) => `host: "127.0.0.1"
port: ${port}
jetstream { store_dir: "${join(folder, 'jetstream')}", max_memory_store: 128MB, max_file_store: 2GB }
`;

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
