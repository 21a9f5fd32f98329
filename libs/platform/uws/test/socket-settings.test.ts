import { COMPRESSION_NAMES } from '@carillon/config';
import { describe, expect, it } from 'vitest';
import { nativeCompression } from '../src/sockets/compression.js';
import { startBare } from './app.js';

const windowBits = (setting: number) => [(setting >> 4) & 15, (setting >> 8) & 15];

describe('socket settings', () => {
  it('knows every compression by name and each window by its size', () => {
    const settings = COMPRESSION_NAMES.map(nativeCompression);
    expect(settings[0]).toBe(0);
    expect(windowBits(nativeCompression('window1kb'))).toEqual([10, 10]);
    expect(windowBits(nativeCompression('window32kb'))).toEqual([15, 15]);
    expect(windowBits(nativeCompression('dedicated'))).toEqual([15, 15]);
    expect(new Set(settings).size).toBe(COMPRESSION_NAMES.length - 1);
  });

  it('refuses idle timeouts the native library would end the process for', async () => {
    const { server, adapter } = await startBare();
    const route = (idleTimeoutSeconds: number) => () =>
      adapter.socketRoute(`/t${idleTimeoutSeconds}`, {
        socketOptions: { idleTimeoutSeconds },
        upgrade: () => ({ accept: null }),
        message: () => {},
      });
    for (const bad of [1, 7, 961, -1, 8.5]) expect(route(bad)).toThrow(RangeError);
    for (const good of [0, 8, 120, 960]) expect(route(good)).not.toThrow();
    expect(route(120)).toThrow('taken');
    server.close();
  });
});
