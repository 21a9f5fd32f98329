import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { APPS, type AppName, HTTP_APPS, Node, type Setting } from './node.js';

/** `npm run proof` tries every app where `npm test` is content with the server, which composes the same modules. */
const PROOF = process.env['CARILLON_PROOF'] === 'true';
const SERVER = ['server'] as const;

/** What no test may leave behind: a dead process, errors, credentials in the log. */
async function expectGoodEnd(node: Node): Promise<void> {
  expect(node.process.isRunning).toBe(true);
  expect(await node.stop()).toBe(0);
  expect(node.complaints()).toEqual([]);
}

/**
 * The same tests for every app that holds sockets, each app in one process with the setting. Whatever the tests do,
 * the process must survive it without an error in its log, and end well when told to.
 */
export function onEveryApp(title: string, setting: Setting, tests: (node: Node) => void): void {
  onEach(APPS, title, setting, tests);
}

/** The same also for an api node beside gateways: tests of the HTTP API. */
export function onEveryHttpApp(title: string, setting: Setting, tests: (node: Node) => void): void {
  onEach(HTTP_APPS, title, setting, tests);
}

/** The same for the server, and for every app when it is about proof: most tests. */
export function onServer(title: string, setting: Setting, tests: (node: Node) => void): void {
  onEach(PROOF ? APPS : SERVER, title, setting, tests);
}

export function onServerHttp(title: string, setting: Setting, tests: (node: Node) => void): void {
  onEach(PROOF ? HTTP_APPS : SERVER, title, setting, tests);
}

/** The same for two gateways beside an api node only: tests of what processes do together. */
export function onGroup(title: string, setting: Setting, tests: (node: Node) => void): void {
  onEach(['group'], title, setting, tests);
}

function onEach(
  apps: readonly AppName[],
  title: string,
  setting: Setting,
  tests: (node: Node) => void,
): void {
  describe.each(apps)(`${title} (%s)`, (app) => {
    const node = new Node(app, setting);
    beforeAll(() => node.start());
    afterEach(() => node.dropClients());
    tests(node);
    afterAll(() => expectGoodEnd(node));
  });
}

/** The same for tests that mostly wait: all at once, so that each must have channels of its own. */
export function onServerAtOnce(title: string, setting: Setting, tests: (node: Node) => void): void {
  describe.concurrent.each(PROOF ? APPS : SERVER)(`${title} (%s)`, (app) => {
    const node = new Node(app, setting);
    beforeAll(() => node.start());
    tests(node);
    afterAll(async () => {
      node.dropClients();
      await expectGoodEnd(node);
    });
  });
}
