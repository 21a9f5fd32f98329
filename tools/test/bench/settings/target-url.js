import { isIPv4 } from 'node:net';
import { BenchError } from './bench-error.js';

/** @param {string} host */
const isLoopback = (host) => host === '::1' || (isIPv4(host) && host.startsWith('127.'));

/**
 * The address in a target's URL. Only this machine may be loaded: anything but a loopback address is refused.
 * `localhost` means 127.0.0.1.
 * @param {string} text
 */
export function parseTargetUrl(text) {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['ws:', 'http:'].includes(url.protocol)) {
    throw new BenchError(
      `--url must be like ws://127.0.0.1:6001 or http://127.0.0.1:6001/path, not "${text}"`,
    );
  }
  if (url.username !== '' || url.password !== '') throw new BenchError('--url may not hold a password');
  const named = url.hostname.replace(/^\[|\]$/g, '');
  const host = named === 'localhost' ? '127.0.0.1' : named;
  if (!isLoopback(host)) {
    throw new BenchError(
      `--url must name a loopback address: the bench only loads this machine, not "${named}"`,
    );
  }
  const port = Number(url.port || 80);
  return { host, port, authority: `${url.hostname}:${port}`, path: url.pathname + url.search };
}
