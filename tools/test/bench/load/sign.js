import { createHash, createHmac } from 'node:crypto';

/** @typedef {{ app: string, key: string, secret: string }} Credentials */

/**
 * The path and query of a signed POST, as the HTTP API asks for it.
 * @param {Credentials} credentials
 * @param {string} path exactly as on the wire, without a query
 * @param {string} body
 * @param {number} timestampSeconds Unix time
 */
export function signedPost({ key, secret }, path, body, timestampSeconds) {
  const bodyMd5 = createHash('md5').update(body).digest('hex');
  const query = `auth_key=${key}&auth_timestamp=${timestampSeconds}&auth_version=1.0&body_md5=${bodyMd5}`;
  const signature = createHmac('sha256', secret).update(`POST\n${path}\n${query}`).digest('hex');
  return `${path}?${query}&auth_signature=${signature}`;
}

/**
 * The bytes of one signed `POST /apps/{id}/…`.
 * @param {Credentials} credentials
 * @param {string} host for the Host header
 * @param {'events' | 'batch_events'} resource
 * @param {object} content the body
 */
export function signedRequest(credentials, host, resource, content) {
  const body = JSON.stringify(content);
  const path = `/apps/${credentials.app}/${resource}`;
  const target = signedPost(credentials, path, body, Math.floor(Date.now() / 1000));
  const head = `POST ${target} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`;
  return Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
