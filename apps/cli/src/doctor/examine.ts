import type { Config, ProcessKind } from '@carillon/config';
import type { Invocation } from '../program/invocation.js';
import { readServiceConfig } from '../service/service-config.js';
import { checkBrokers } from './broker-checks.js';
import { Clock } from './clock.js';
import { checkConfiguration } from './config-checks.js';
import type { DoctorContext } from './context.js';
import {
  checkDescriptors,
  checkDisk,
  checkNative,
  checkNode,
  checkPorts,
  checkTls,
} from './machine-checks.js';
import { checkMysql } from './mysql-checks.js';
import { checkPostgres } from './postgres-checks.js';
import { checkPushProviders } from './push-checks.js';
import { checkRedis } from './redis-checks.js';
import type { CheckResult, Report } from './result.js';
import { checkClock, checkService } from './service-checks.js';

const WHOLE_MS = 20_000;

export type TimedResult = CheckResult & { readonly duration_ms: number };

export interface Examination {
  readonly config: string | null;
  readonly checks: readonly TimedResult[];
}

/** Runs all checks concurrently, within 20 s. */
export async function examine(invocation: Invocation, process: ProcessKind): Promise<Examination> {
  const { values, env, cwd, signal } = invocation;
  const loaded = readServiceConfig({ process, file: values.text('config') ?? null, env, cwd });
  const whole = AbortSignal.timeout(WHOLE_MS);
  const clock = new Clock();
  const context: DoctorContext = {
    process,
    loaded,
    env,
    cwd,
    clock,
    signal: AbortSignal.any([signal, whole]),
  };
  const secrets = secretsOf(loaded.config);
  const checks: TimedResult[] = [];
  const startedMs = performance.now();
  const report: Report = (result) => {
    const shown = JSON.parse(withoutSecrets(JSON.stringify(result), secrets)) as CheckResult;
    checks.push({ ...shown, duration_ms: Math.round(performance.now() - startedMs) });
  };
  checkConfiguration(context, report);
  checkNode(report);
  const parts: readonly (readonly [string, () => Promise<void> | void])[] = [
    ['node.native', () => checkNative(report)],
    ['limits.descriptors', () => checkDescriptors(context, report)],
    ['listen.port', () => checkPorts(context, report)],
    ['tls.files', () => checkTls(context, report)],
    ['disk.space', () => checkDisk(context, report)],
    ['postgres.reach', () => checkPostgres(context, report)],
    ['mysql.reach', () => checkMysql(context, report)],
    ['redis.reach', () => checkRedis(context, report)],
    ['broker.reach', () => checkBrokers(context, report)],
    ['push.providers', () => checkPushProviders(context, report)],
    ['service.up', () => checkService(invocation, clock, report)],
  ];
  const late = new Promise<never>((_, fail) => {
    whole.addEventListener('abort', () => fail(new Error(`no result within ${WHOLE_MS} ms`)), { once: true });
  });
  late.catch(() => undefined);
  await Promise.all(parts.map(async ([id, work]) => guarded(id, work, late, report)));
  signal.throwIfAborted();
  checkClock(clock, report);
  return { config: loaded.source, checks };
}

/** A check that fails unexpectedly or takes too long is an error of its own. */
async function guarded(
  id: string,
  work: () => Promise<void> | void,
  late: Promise<never>,
  report: Report,
): Promise<void> {
  try {
    await Promise.race([Promise.resolve().then(work), late]);
  } catch (error) {
    report({
      id,
      status: 'error',
      message: `the check failed: ${error instanceof Error ? error.message : String(error)}`,
    });
  }
}

const MIN_SECRET_LENGTH = 4;

/** Every secret of the configuration: drivers may quote one in a message. */
function secretsOf(config: Config): readonly string[] {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { reveal } = value as { readonly reveal?: unknown };
    if (typeof reveal === 'function') found.add(String(reveal.call(value)));
    else Object.values(value).forEach(visit);
  };
  visit(config);
  return [...found].filter((secret) => secret.length >= MIN_SECRET_LENGTH);
}

/** Works on JSON text, in which a secret may be escaped. User and database names equal to a secret stay readable elsewhere. */
function withoutSecrets(json: string, secrets: readonly string[]): string {
  return secrets.reduce(
    (text, secret) => text.replaceAll(JSON.stringify(secret).slice(1, -1), '<redacted>'),
    json,
  );
}
