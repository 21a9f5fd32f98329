import { createHash, createHmac } from 'node:crypto';
import { type Api, answerOf } from '../api.js';
import type { Credentials } from './credentials.js';

/** Requests of the HTTP API, signed with the app's secret. For the app's own server. */
export function signedApi(url: string, { appId, key, secret }: Credentials): Api {
  const base = url.replace(/^ws/, 'http').replace(/\/+$/, '');
  return async ({ method, path, query = {}, body, headers = {} }) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const full = `/apps/${encodeURIComponent(appId)}${path}`;
    const values: Record<string, string> = {
      ...query,
      auth_key: key,
      auth_timestamp: String(Math.floor(Date.now() / 1000)),
      auth_version: '1.0',
      ...(text === undefined ? {} : { body_md5: createHash('md5').update(text).digest('hex') }),
    };
    const names = Object.keys(values).sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
    const signed = names.map((name) => `${name.toLowerCase()}=${values[name] ?? ''}`).join('&');
    const signature = createHmac('sha256', secret).update(`${method}\n${full}\n${signed}`).digest('hex');
    const sent = new URLSearchParams({ ...values, auth_signature: signature });
    const answer = await fetch(`${base}${full}?${sent}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(text === undefined ? {} : { body: text }),
    });
    return answerOf(answer.status, await answer.text());
  };
}
