// A library in another language, for tests of what this service's own language could hide: a script drives it over
// HTTP. Python finds it in an environment of its own, so nothing is installed on the machine beside it.
import { fileURLToPath } from 'node:url';
import { json } from '../wire/http.js';

/**
 * An engine that is a Python script beside this file: told its port, it answers `{"do": …}` in JSON.
 * @param {string} name
 * @param {{ script: string, packages: import('../types.js').PythonPackages }} driver
 * @returns {import('../types.js').Engine}
 */
export function pythonDriver(name, { script, packages }) {
  const path = fileURLToPath(new URL(`./${script}`, import.meta.url));
  return {
    name,
    needs: {
      programs: { python: ['python3'] },
      packages: ['python3', 'python3-venv'],
      pip: packages,
    },
    portCount: 1,

    async plan({ ports, tools }) {
      const [port = 0] = ports;
      const command = tools.programs.python ?? '';
      return {
        url: `http://127.0.0.1:${port}`,
        nodes: [{ name: 'main', port, command, args: [path, String(port)] }],
      };
    },

    async ready(url) {
      await json(url, { method: 'POST', body: '{"do":"version"}' });
    },
  };
}
