import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { APPS, Node, type Setting } from './node.js';

/**
 * The same tests for every app that holds sockets, each app in one process with the setting. Whatever the tests do,
 * the process must survive it without an error in its log, and end well when told to.
 */
export function onEveryApp(title: string, setting: Setting, tests: (node: Node) => void): void {
  describe.each(APPS)(`${title} (%s)`, (app) => {
    const node = new Node(app, setting);
    beforeAll(() => node.start());
    afterEach(() => node.dropClients());
    tests(node);
    afterAll(async () => {
      expect(node.process.isRunning).toBe(true);
      expect(await node.stop()).toBe(0);
      expect(node.complaints()).toEqual([]);
    });
  });
}
