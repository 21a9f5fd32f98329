import { describe, expect, it } from 'vitest';
import { localDataCenter, resolveNodes } from '../src/local-data-center.js';

const host = (address: string, datacenter: string) => ({ address, datacenter });
const CLUSTER = [host('10.0.0.1:9042', 'east'), host('10.0.0.2:9042', 'east'), host('10.1.0.1:9042', 'west')];

describe('localDataCenter', () => {
  it('is the only one of the cluster, under whatever address it is reached', () => {
    expect(localDataCenter(CLUSTER.slice(0, 2), new Set(['192.0.2.1:9042']))).toBe('east');
  });

  it('is that of the configured nodes', () => {
    expect(localDataCenter(CLUSTER, new Set(['10.1.0.1:9042']))).toBe('west');
    expect(localDataCenter(CLUSTER, new Set(['10.0.0.2:9042', '192.0.2.1:9042']))).toBe('east');
  });

  it('is rejected when the configured nodes are in several', () => {
    expect(() => localDataCenter(CLUSTER, new Set(['10.0.0.1:9042', '10.1.0.1:9042']))).toThrow(
      'database.scylladb.nodes: the nodes are in the data centers "east", "west"; list nodes of one data center',
    );
  });

  it('is rejected when the cluster has several and announces no configured address', () => {
    expect(() => localDataCenter(CLUSTER, new Set(['192.0.2.1:9042']))).toThrow(
      'no address is one that the cluster announces, so the local data center is unknown; it has "east", "west"',
    );
  });
});

describe('resolveNodes', () => {
  it('returns addresses with ports, and leaves out names that do not resolve', async () => {
    const nodes = ['127.0.0.1:19042', '127.0.0.2', '[::1]:9043', 'no-such-host.invalid:9042'];
    const expected = ['127.0.0.1:19042', '127.0.0.2:9042', '::1:9043'];
    expect([...(await resolveNodes(nodes))]).toEqual(expected);
  });
});
