// Stand-ins for the clouds that bring notifications to devices, in one program with real TLS and HTTP/2.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { json } from '../wire/http.js';

const PROGRAM = fileURLToPath(new URL('push-clouds/main.js', import.meta.url));

/** @type {import('../types.js').Engine} */
export const pushClouds = {
  name: 'push-clouds',
  needs: { programs: { openssl: ['openssl'] }, packages: ['openssl'] },
  portCount: 2,

  async plan({ folder, ports, tools }) {
    const [port = 0, tlsPort = 0] = ports;
    const file = (/** @type {string} */ name) => join(folder, name);
    const openssl = (/** @type {string[]} */ ...args) =>
      execFileSync(tools.programs.openssl ?? 'openssl', args, { stdio: 'pipe' });
    const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    /** @param {string} name @param {string[]} more */
    const certificate = (name, ...more) =>
      openssl(...request, '-days', '2', '-keyout', file(`${name}.key`), '-out', file(`${name}.crt`), ...more);
    const names = 'subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:clouds.example,DNS:*.notify.windows.com';
    certificate('server', '-subj', '/CN=push clouds', '-addext', names);
    certificate('client', '-subj', '/CN=Apple Push Services: com.example.app/UID=com.example.app');
    const pair = ['-in', file('client.crt'), '-inkey', file('client.key')];
    openssl('pkcs12', '-export', '-passout', 'pass:secret', ...pair, '-out', file('client.p12'));
    const args = [PROGRAM, folder, String(port), String(tlsPort)];
    return {
      url: `http://127.0.0.1:${port}`,
      nodes: [{ name: 'main', port, command: process.execPath, args }],
    };
  },

  async ready(url) {
    await json(url, { method: 'POST', body: '{"do":"about"}' });
  },
};
