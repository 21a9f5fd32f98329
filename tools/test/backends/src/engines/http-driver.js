// A library in another language, for tests of what this service's own language could hide: a program drives it over
// HTTP.
import { json } from '../wire/http.js';

/** @import { Engine, Needs, Tools } from '../types.js' */

/**
 * An engine that is a program in that language: told its port as its last argument, it answers `{"do": …}` in JSON.
 * @param {string} name
 * @param {Needs} needs
 * @param {(tools: Tools) => { command: string | undefined, args: string[] }} program what to run, without the port
 * @returns {Engine}
 */
export const httpDriver = (name, needs, program) => ({
  name,
  needs,
  portCount: 1,

  async plan({ ports, tools }) {
    const [port = 0] = ports;
    const { command = '', args } = program(tools);
    return {
      url: `http://127.0.0.1:${port}`,
      nodes: [{ name: 'main', port, command, args: [...args, String(port)] }],
    };
  },

  async ready(url) {
    await json(url, { method: 'POST', body: '{"do":"version"}' });
  },
});
