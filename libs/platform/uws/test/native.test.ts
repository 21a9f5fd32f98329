import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nativeBinary } from '../src/index.js';
import { loadFailureText } from '../src/native.js';

describe('native library', () => {
  it('names the file that is loaded', () => {
    const binary = nativeBinary();
    expect(existsSync(binary.file)).toBe(true);
    expect(binary).toMatchObject({ abi: process.versions.modules, platform: process.platform });
  });

  it('leaves the environment as it was', () => {
    nativeBinary();
    expect(process.env['UWS_HTTP_MAX_HEADERS_SIZE']).toBeUndefined();
  });

  it('says what is wanted, what this machine is and what to do when nothing loads', () => {
    const text = loadFailureText(new Error('first line\n/lib/libc.so.6: version GLIBC_2.38 not found'));
    expect(text).toContain(`uws_${process.platform}_${process.arch}_${process.versions.modules}.node`);
    expect(text).toContain(process.version);
    expect(text).toContain('GLIBC_2.38 not found');
    expect(text).toContain('base image');
  });
});
