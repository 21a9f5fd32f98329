// A stand-in for Apache Iggy: the part of its HTTP API that the service uses. `CARILLON_ENGINE_IGGY` names a real server.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { json } from '../wire/http.js';

const PROGRAM = fileURLToPath(new URL('iggy/main.js', import.meta.url));

/** @type {import('../types.js').Engine} */
export const iggy = {
  name: 'iggy',
  needs: { programs: {}, packages: [] },
  portCount: 1,

  async plan({ folder, ports }) {
    const [port = 0] = ports;
    const args = [PROGRAM, String(port), join(folder, 'log')];
    const node = { name: 'main', port, command: process.execPath, args };
    return { url: `iggy+http://iggy:iggy@127.0.0.1:${port}`, nodes: [node] };
  },

  async ready(url) {
    const { host, username, password } = new URL(url.replace(/^iggy(\+\w+)?:/, 'http:'));
    const body = JSON.stringify({
      username: decodeURIComponent(username),
      password: decodeURIComponent(password),
    });
    await json(`http://${host}/users/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
  },
};
