import { configuration } from '@carillon/testing';
import { describe, expect, it } from 'vitest';
import { iggyAddress } from '../src/index.js';

const BLOCK = 'queue.iggy';
const addressOf = (env: Record<string, string>) => iggyAddress(configuration(env).queue.iggy, BLOCK);

describe('iggyAddress', () => {
  it('reads servers and credentials of the connection string and its seeds', () => {
    const env = {
      IGGY_CONNECTION_STRING: 'iggy://me:s%40cret@one:8090',
      IGGY_CLUSTER_SEEDS: 'two:8090,three:3001',
    };
    expect(addressOf(env)).toEqual({
      servers: [
        { protocol: 'http:', host: 'one', port: 3000 },
        { protocol: 'http:', host: 'two', port: 3000 },
        { protocol: 'http:', host: 'three', port: 3001 },
      ],
      username: 'me',
      password: 's@cret',
    });
  });

  it('prefers the settings of user and password', () => {
    const env = { IGGY_USERNAME: 'other', IGGY_PASSWORD: 'word' };
    expect(addressOf(env)).toMatchObject({ username: 'other', password: 'word' });
  });

  it('refuses other schemes, seeds that are no address, and a missing user', () => {
    expect(() => addressOf({ IGGY_CONNECTION_STRING: 'iggy+quic://a:b@one:8080' })).toThrow(
      'queue.iggy.connection_string: scheme "iggy+quic:" is not supported',
    );
    expect(() => addressOf({ IGGY_CLUSTER_SEEDS: 'a/b' })).toThrow(
      'queue.iggy.cluster_seeds: "a/b" is not host:port',
    );
    expect(() => addressOf({ IGGY_CONNECTION_STRING: 'iggy://one:8090' })).toThrow('queue.iggy.username');
  });
});
