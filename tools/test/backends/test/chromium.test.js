import { describe, expect, it } from 'vitest';
import { engine } from '../src/index.js';
import { json } from '../src/wire/http.js';

describe('chromium', () => {
  it('says at its DevTools address what it is and where to drive it', async () => {
    const { url, port } = await engine('chromium');
    const version = await json(`${url}/json/version`);
    expect(version.Browser).toMatch(/Chrom/);
    expect(version.webSocketDebuggerUrl).toMatch(
      new RegExp(`^ws://127\\.0\\.0\\.1:${port}/devtools/browser/`),
    );
  });

  it('opens and closes a page', async () => {
    const { url } = await engine('chromium');
    const page = await json(`${url}/json/new?data:text/html,<title>bells</title>`, { method: 'PUT' });
    expect(page).toMatchObject({ type: 'page', url: expect.stringContaining('data:text/html') });
    expect((await fetch(`${url}/json/close/${String(page.id)}`)).status).toBe(200);
  });
});
