// An app's own server: it knows its users, authorizes them for channels, signs permitted changes, and lets a model
// answer.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { Carillon } from '@carillon/client';
import { authorizeChannel, capabilityToken, checkForwarded, signedApi } from '@carillon/client/server';
import { build } from 'esbuild';
import { answerTo } from './model.js';

const page = (name) => fileURLToPath(new URL(`./pages/${name}`, import.meta.url));
const PAGES = new Set(['index', 'chat', 'ai', 'push']);
const MAX_BYTES = 64 * 1024;
/** The capability of a page's token. */
const CAPABILITY = {
  '*': [
    'subscribe',
    'publish',
    'history',
    'presence',
    'annotation-publish',
    'annotation-subscribe',
    'annotation-delete-own',
    'message-update-own',
    'message-delete-own',
  ],
};

/** The script of a page, with everything of the client that it uses. */
async function bundle(entry) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
    logLevel: 'error',
  });
  return outputFiles[0].text;
}

async function textOf(request) {
  let text = '';
  for await (const chunk of request) {
    text += chunk;
    if (text.length > MAX_BYTES) throw new Error('The request is too large');
  }
  return text;
}

/** All routes of the server, by path. `user` stands for the user id that a session would provide. */
function routes({ url, credentials, vapidPublicKey }) {
  const api = signedApi(url, credentials);
  const { key } = credentials;
  // No connection: the app's own server only publishes.
  const app = new Carillon({ key, url, api, isTrusted: true });
  return {
    '/settings': ({ user }) => ({ key, url, user, vapidPublicKey }),
    '/token': ({ user }) => ({
      token: capabilityToken(credentials, { clientId: user, capability: CAPABILITY }),
    }),
    '/authorize': ({ user, text }) => {
      const form = new URLSearchParams(text);
      const [socketId, channel] = [form.get('socket_id') ?? '', form.get('channel_name') ?? ''];
      const member = { user_id: user, user_info: { name: user } };
      return authorizeChannel(
        credentials,
        socketId,
        channel,
        channel.startsWith('presence-') ? member : undefined,
      );
    },
    '/carillon': ({ user, text }) => api(checkForwarded(JSON.parse(text), { clientId: user })),
    '/say': async ({ user, text }) => {
      const { channel, said } = JSON.parse(text);
      return app.channel(channel).messages.publish('said', { user, said });
    },
    '/ask': ({ text }) => {
      const { channel, question, pauseMs } = JSON.parse(text);
      // The answer continues even if the asking client disconnects.
      void answerTo(app.channel(channel), question, pauseMs).catch(() => undefined);
      return {};
    },
    '/notify': ({ text }) => {
      const { channel, title } = JSON.parse(text);
      const body = {
        recipients: [{ type: 'channel', channel }],
        payload: { title, body: 'from the examples' },
      };
      return api({ method: 'POST', path: '/push/publish', body });
    },
  };
}

async function file(pathname) {
  const name = pathname === '/' ? 'index' : pathname.slice(1).replace(/\.(html|js)$/, '');
  if (pathname === '/service-worker.js') {
    return [
      'text/javascript',
      await bundle(fileURLToPath(import.meta.resolve('@carillon/client/push/service-worker'))),
    ];
  }
  if (!PAGES.has(name)) return null;
  if (pathname.endsWith('.js')) return ['text/javascript', await bundle(page(`${name}.js`))];
  return ['text/html; charset=utf-8', readFileSync(page(`${name}.html`), 'utf8')];
}

/** Serves the examples. Resolves with the address and a function that stops the server. */
export async function startExamples(options) {
  const answers = routes(options);
  const answer = async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://examples');
    const user = searchParams.get('user') ?? 'guest';
    try {
      const known = await file(pathname);
      if (known !== null) {
        response.setHeader('Content-Type', known[0]);
        response.end(known[1]);
        return;
      }
      const route = answers[pathname];
      response.statusCode = route === undefined ? 404 : 200;
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify((await route?.({ user, text: await textOf(request) })) ?? null));
    } catch (error) {
      response.statusCode = error.status ?? 500;
      response.end(JSON.stringify({ error: String(error.message) }));
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise((listening) => server.listen(options.port ?? 0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
