// The library that servers in Go use for the signed HTTP API.
import { fileURLToPath } from 'node:url';
import { httpDriver } from './http-driver.js';

const needs = {
  programs: { go: ['go', '/usr/local/go/bin/go'] },
  // Go trusts only the certificates of the machine when it fetches what it builds.
  packages: ['golang-go', 'ca-certificates'],
  go: { name: 'pusher-http-go-5.1.1', folder: fileURLToPath(new URL('./pusher-go', import.meta.url)) },
};

export const pusherGo = httpDriver('pusher-go', needs, ({ programs }) => ({
  command: programs.driver,
  args: [],
}));
