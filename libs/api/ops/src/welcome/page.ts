import type { Demo } from './demo.js';
import { LIVE_BOX } from './live-box.js';

/** Escapes JSON for a script element. */
const inScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

/** The page, whole: it loads nothing from anywhere. */
export const welcomePage = (demo: Demo): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>It runs</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem }
pre { background: #8882; padding: .75rem; overflow: auto }
#log { min-height: 9rem }
</style>
<h1>It runs</h1>
<p>Clients connect to <code id="socket"></code>. Servers publish to <code id="http"></code>, signed with the secret of
the app. <a href="up">/up</a> says how it is. This page is here in development mode only.</p>
<h2>Paste this</h2>
<pre id="snippet"></pre>
<h2>Try it</h2>
<p><input id="text" value="hello" aria-label="text"> <button id="say">Publish</button>
<input id="secret" type="password" placeholder="secret of the app" aria-label="secret"></p>
<pre id="log"></pre>
<script>
const demo = ${inScript(demo)};
${LIVE_BOX}</script>
`;

/** Loads nothing, cannot be framed, and connects to sockets only. */
export const WELCOME_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src ws: wss:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const;
