import { expect, it } from 'vitest';
import { engine } from '../src/index.js';
import { json } from '../src/wire/http.js';

it('pulsar names its clusters and serves the default namespace', async () => {
  const { url } = await engine('pulsar');
  const http = url.replace(/^ws/, 'http');
  expect(await json(`${http}/admin/v2/clusters`)).toEqual(['standalone']);
  expect(await json(`${http}/admin/v2/namespaces/public`)).toContain('public/default');
});
