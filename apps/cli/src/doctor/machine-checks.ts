import { X509Certificate, createPrivateKey } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync, statfsSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, resolve } from 'node:path';
import type { DoctorContext } from './context.js';
import type { CheckResult, Report } from './result.js';
import { hasSockets, sqlUses } from './uses.js';

const REQUIRED_NODE = [20, 19] as const;
const RECOMMENDED_NODE = 24;
const MIN_DESCRIPTORS = 10_000;
const EXPIRY_WARNING_MS = 14 * 86_400_000;
const PORT_ANSWER_MS = 1000;
const MIB = 1024 * 1024;
const MIN_FREE_BYTES = 64 * MIB;
const LOW_FREE_BYTES = 1024 * MIB;
const LOW_FREE_PART = 0.05;

export function checkNode(report: Report): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [least, leastMinor] = REQUIRED_NODE;
  const isTooOld = major < least || (major === least && minor < leastMinor);
  const facts = {
    found: process.versions.node,
    required: REQUIRED_NODE.join('.'),
    recommended: RECOMMENDED_NODE,
  };
  const cure = `install Node.js ${RECOMMENDED_NODE}`;
  report({
    id: 'node.version',
    status: isTooOld ? 'error' : major < RECOMMENDED_NODE ? 'warn' : 'ok',
    message: `Node.js ${process.versions.node}; ${REQUIRED_NODE.join('.')} is required, ${RECOMMENDED_NODE} recommended`,
    ...(major < RECOMMENDED_NODE ? { cure } : {}),
    facts,
  });
}

export async function checkNative(report: Report): Promise<void> {
  const facts = { node: process.versions.node, platform: `${process.platform}-${process.arch}` };
  try {
    const { faults } = (await import('@carillon/uws')).nativeBinary();
    const replaced = faults.find((fault) => fault.includes('SHA-256'));
    if (replaced !== undefined) throw new Error(replaced);
    const status = faults.length === 0 ? 'ok' : 'warn';
    const message = faults.length === 0 ? 'the native server loads' : faults.join('; ');
    report({ id: 'node.native', status, message, facts });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    report({ id: 'node.native', status: 'error', message, cure: 'install again with "npm ci"', facts });
  }
}

export function checkDescriptors({ process: kind }: DoctorContext, report: Report): void {
  if (!hasSockets(kind) || !existsSync('/proc/self/limits')) return;
  const [, text = ''] =
    /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  const limit = text === 'unlimited' ? Number.POSITIVE_INFINITY : Number(text);
  const isLow = limit < MIN_DESCRIPTORS;
  report({
    id: 'limits.descriptors',
    status: isLow ? 'warn' : 'ok',
    message: `the soft limit of open files is ${text}`,
    ...(isLow ? { cure: 'raise it with "ulimit -n 65536", or LimitNOFILE of the unit' } : {}),
    facts: { limit: text },
  });
}

export async function checkPorts({ loaded: { config } }: DoctorContext, report: Report): Promise<void> {
  const { host, port, metrics, mcp } = config;
  const places = [
    { setting: 'port', host, port },
    ...(metrics.enabled ? [{ setting: 'metrics.port', host: metrics.host, port: metrics.port }] : []),
    ...(mcp.enabled && mcp.port !== null
      ? [{ setting: 'mcp.port', host: mcp.host ?? host, port: mcp.port }]
      : []),
  ];
  await Promise.all(
    places.filter((place) => place.port !== 0).map(async (place) => report(await checkPort(place))),
  );
}

async function checkPort({
  setting,
  host,
  port,
}: {
  setting: string;
  host: string;
  port: number;
}): Promise<CheckResult> {
  const about = { id: 'listen.port', setting, target: `${host}:${port}`, facts: { port } };
  const code = await listenError(host, port);
  if (code === null) return { ...about, status: 'ok', message: `port ${port} is free` };
  if (code === 'EADDRINUSE' && (await isCarillon(host, port)))
    return { ...about, status: 'ok', message: `port ${port} is served by Carillon` };
  const reason = code === 'EADDRINUSE' ? 'is taken by another program' : `cannot be opened (${code})`;
  return {
    ...about,
    status: 'error',
    message: `port ${port} ${reason}`,
    cure: `free the port, or change ${setting}`,
  };
}

/** Null: it can be opened. */
function listenError(host: string, port: number): Promise<string | null> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => done(code));
    server.listen({ host, port, exclusive: true }, () => server.close(() => done(null)));
  });
}

async function isCarillon(host: string, port: number): Promise<boolean> {
  const name = /^(0\.0\.0\.0|::)$/.test(host) ? '127.0.0.1' : host;
  const origin = `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
  try {
    const signal = AbortSignal.timeout(PORT_ANSWER_MS);
    const [missing, metrics] = await Promise.all(
      ['/apps/carillon-doctor', '/metrics'].map(async (path) =>
        (await fetch(origin + path, { signal })).text(),
      ),
    );
    // Every process answers an unknown path with its own error body, and its metrics listener with its own metrics.
    return /"code":"not_found"/.test(missing ?? '') || /_process_|nodejs_/.test(metrics ?? '');
  } catch {
    return false;
  }
}

export function checkTls({ loaded: { config }, cwd }: DoctorContext, report: Report): void {
  const { ssl } = config;
  if (!ssl.enabled) return;
  const about = { id: 'tls.files', setting: 'ssl.cert_path', target: ssl.cert_path };
  try {
    const certificate = new X509Certificate(readFileSync(resolve(cwd, ssl.cert_path)));
    const passphrase = ssl.passphrase?.reveal();
    const key = createPrivateKey({
      key: readFileSync(resolve(cwd, ssl.key_path)),
      ...(passphrase === undefined ? {} : { passphrase }),
    });
    const leftMs = Date.parse(certificate.validTo) - Date.now();
    const facts = { file: ssl.cert_path, not_after: certificate.validTo };
    if (!certificate.checkPrivateKey(key))
      report({
        ...about,
        status: 'error',
        message: 'the private key does not belong to the certificate',
        facts,
      });
    else if (leftMs < EXPIRY_WARNING_MS)
      report({
        ...about,
        status: leftMs < 0 ? 'error' : 'warn',
        message:
          leftMs < 0
            ? `the certificate expired on ${certificate.validTo}`
            : `the certificate expires on ${certificate.validTo}`,
        cure: 'renew the certificate',
        facts,
      });
    else report({ ...about, status: 'ok', message: 'certificate and key match', facts });
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'cannot be parsed';
    const cure = 'check ssl.cert_path and ssl.key_path';
    report({ ...about, status: 'error', message: `certificate or key cannot be used: ${reason}`, cure });
  }
}

export function checkDisk({ loaded: { config }, cwd }: DoctorContext, report: Report): void {
  const { postgres } = config.database;
  if (!postgres.embedded || sqlUses(config, 'postgres').length === 0) return;
  const path = resolve(cwd, postgres.embedded_path);
  const setting = 'database.postgres.embedded_path';
  const folder = nearestFolder(path);
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize, blocks } = statfsSync(folder);
    const free = bavail * bsize;
    const isLow = free < LOW_FREE_BYTES || free < LOW_FREE_PART * blocks * bsize;
    const status = free < MIN_FREE_BYTES ? 'error' : isLow ? 'warn' : 'ok';
    report({
      id: 'disk.space',
      status,
      target: path,
      setting,
      message: `${Math.floor(free / MIB)} MiB of disk space are free for ${path}`,
      ...(status === 'ok' ? {} : { cure: `free disk space, or change ${setting}` }),
      facts: { path, free_bytes: free, ...(status === 'error' ? { errno: 'ENOSPC' } : {}) },
    });
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    const message = `${path} is not writable (${code}): no data can be stored on this disk`;
    report({
      id: 'disk.space',
      status: 'error',
      target: path,
      setting,
      message,
      cure: `change the owner of the folder, or ${setting}`,
      facts: { path, errno: code },
    });
  }
}

function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}
