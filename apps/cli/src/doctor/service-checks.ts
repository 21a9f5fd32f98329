import { type Probe, probe } from '../api/probe.js';
import { CommandError } from '../program/errors.js';
import type { Invocation } from '../program/invocation.js';
import type { Clock } from './clock.js';
import { type Report, skip } from './result.js';

/** Checks of a running process, with `--url` only. */
export async function checkService(invocation: Invocation, clock: Clock, report: Report): Promise<void> {
  if (!invocation.values.has('url')) return;
  const { url } = await invocation.connection();
  const beforeMs = Date.now();
  let answer: Probe;
  try {
    answer = await probe(invocation);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const { message, cure } = error;
    report({ id: 'service.up', status: 'error', target: url, message, ...(cure === null ? {} : { cure }) });
    return skip(report, 'service.up', ['service.version']);
  }
  // The header has seconds; half a second is its mean.
  if (answer.dateMs !== null) clock.compare('service', answer.dateMs + 500, beforeMs, Date.now());
  const isUp = answer.status === 200;
  report({
    id: 'service.up',
    status: isUp ? 'ok' : 'error',
    target: url,
    message: isUp ? 'the service is up' : `/up answers ${answer.status}: ${answer.body.slice(0, 500)}`,
    ...(isUp ? {} : { cure: 'read the log of the service' }),
    facts: { status: answer.status },
  });
}

const ERROR_SECONDS = 30;
const WARNING_SECONDS = 5;

/** The result of all comparisons of clocks; nothing is reported without one. */
export function checkClock({ skews }: Clock, report: Report): void {
  if (skews.size === 0) return;
  const [[name, skew]] = [...skews].sort(([, a], [, b]) => Math.abs(b) - Math.abs(a)) as [[string, number]];
  const size = Math.abs(skew);
  const facts = { skew_seconds: Object.fromEntries(skews) };
  if (size < WARNING_SECONDS)
    return report({ id: 'clock.skew', status: 'ok', message: `clocks differ by ${size} s`, facts });
  const side = skew > 0 ? 'behind' : 'ahead of';
  report({
    id: 'clock.skew',
    status: size >= ERROR_SECONDS ? 'error' : 'warn',
    target: name,
    message: `the clock of this machine is ${size} s ${side} ${name}; signatures are valid for 600 s only`,
    cure: 'synchronize the clocks with NTP',
    facts,
  });
}
