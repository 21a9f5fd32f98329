// The loader that judges compose files, as the tool that runs them does.
import { fileURLToPath } from 'node:url';
import { httpDriver } from './http-driver.js';

const needs = {
  programs: { go: ['go', '/usr/local/go/bin/go'] },
  packages: ['golang-go', 'ca-certificates'],
  go: { name: 'compose-go-2', folder: fileURLToPath(new URL('./compose-go', import.meta.url)) },
};

export const composeGo = httpDriver('compose-go', needs, ({ programs }) => ({
  command: programs.driver,
  args: [],
}));
