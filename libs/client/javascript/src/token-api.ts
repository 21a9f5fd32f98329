import { type Api, answerOf } from './api.js';

/**
 * Sends requests to the service with the capability token of the client instead of a signature. The service takes it for reading
 * and changing messages and annotations, with the rights of the token.
 */
export function tokenApi(url: string, appId: string, token: () => Promise<string>): Api {
  const base = `${url.replace(/^ws/, 'http').replace(/\/+$/, '')}/apps/${encodeURIComponent(appId)}`;
  return async ({ method, path, query = {}, body }) => {
    const search = new URLSearchParams(query).toString();
    const answer = await fetch(`${base}${path}${search === '' ? '' : `?${search}`}`, {
      method,
      headers: {
        Authorization: `Bearer ${await token()}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return answerOf(answer.status, await answer.text());
  };
}
