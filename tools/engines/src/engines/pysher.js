// A client library in another language, for tests of what this service's own language could hide. Python finds it in
// an environment of its own, so nothing is installed on the machine beside it.
import { fileURLToPath } from 'node:url';
import { json } from '../wire/http.js';

const DRIVER = fileURLToPath(new URL('./pysher-driver.py', import.meta.url));

/** @type {import('../types.js').Engine} */
export const pysher = {
  name: 'pysher',
  needs: {
    programs: { python: ['python3'] },
    packages: ['python3', 'python3-venv'],
    pip: {
      name: 'pysher-1.0.8',
      requirements: [
        'Pysher==1.0.8',
        'websocket-client==1.8.0',
        'requests==2.32.3',
        'certifi==2024.8.30',
        'charset-normalizer==3.4.0',
        'idna==3.10',
        'urllib3==2.2.3',
      ],
    },
  },
  portCount: 1,

  async plan({ ports, tools }) {
    const [port = 0] = ports;
    const command = tools.programs.python ?? '';
    return {
      url: `http://127.0.0.1:${port}`,
      nodes: [{ name: 'main', port, command, args: [DRIVER, String(port)] }],
    };
  },

  async ready(url) {
    await json(url, { method: 'POST', body: '{"do":"version"}' });
  },
};
