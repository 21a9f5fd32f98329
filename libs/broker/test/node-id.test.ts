import { expect, it } from 'vitest';
import { newNodeId } from '../src/index.js';

it('a node is named for its process and its start', () => {
  expect(newNodeId('gw-a')).toMatch(/^gw-a-[0-9a-f]{8}$/);
  expect(newNodeId('gw-a')).not.toBe(newNodeId('gw-a'));
});
