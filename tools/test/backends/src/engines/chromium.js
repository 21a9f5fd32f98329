// Chromium without a window, driven through its DevTools address. It makes no connection of its own.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { json } from '../wire/http.js';

const FLAGS = [
  '--headless',
  // It holds no sandbox as root; only pages of our own tests are opened.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-extensions',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--metrics-recording-only',
];

/** @type {import('../types.js').Engine} */
export const chromium = {
  name: 'chromium',
  needs: {
    programs: {
      browser: [
        'chromium',
        'chromium-browser',
        'google-chrome',
        '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
      ],
    },
    packages: ['chromium'],
  },
  portCount: 1,
  service: 'chromium',
  containerUrl: (port) => `http://127.0.0.1:${port}`,

  async plan({ folder, ports, tools }) {
    const [port = 0] = ports;
    const profile = join(folder, 'profile');
    mkdirSync(profile);
    const own = [`--user-data-dir=${profile}`, `--remote-debugging-port=${port}`, 'about:blank'];
    const command = tools.programs.browser ?? '';
    return {
      url: `http://127.0.0.1:${port}`,
      nodes: [{ name: 'main', port, command, args: [...FLAGS, ...own] }],
    };
  },

  async ready(url) {
    await json(`${url}/json/version`);
  },
};
