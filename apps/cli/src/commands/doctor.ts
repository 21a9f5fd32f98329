import { docsOf } from '../program/documentation.js';
import { examine, type TimedResult } from '../doctor/examine.js';
import type { CheckStatus } from '../doctor/result.js';
import { EXIT } from '../program/exit-codes.js';
import type { Invocation } from '../program/invocation.js';
import type { Style, Terminal } from '../output/terminal.js';
import { PROCESSES } from '../service/service-config.js';

const LABELS: Readonly<Record<CheckStatus, readonly [string, Style | undefined]>> = {
  ok: ['ok', 'green'],
  warn: ['warn', 'yellow'],
  error: ['FAIL', 'red'],
  skipped: ['skip', 'dim'],
};

export async function run(invocation: Invocation): Promise<number> {
  const { values, terminal } = invocation;
  const kind = PROCESSES.find((one) => one === values.text('process')) ?? 'server';
  const { config, checks: all } = await examine(invocation, kind);
  const only = values.texts('only');
  const isWanted = ({ id }: TimedResult): boolean =>
    only.length === 0 || only.some((one) => id === one || id.startsWith(`${one}@`));
  const checks = all.filter(isWanted).map((check) => ({ ...check, docs: docsOf(check.id, EXIT.failed) }));
  const errors = checks.filter(
    ({ status }) => status === 'error' || (status === 'warn' && values.has('strict')),
  );
  const isInvalid = errors.some(({ id }) => id.startsWith('config.'));
  const code = isInvalid ? EXIT.configuration : errors.length > 0 ? EXIT.failed : EXIT.done;
  const document = { ok: errors.length === 0, exit_code: code, process: kind, config, checks };
  terminal.result(document, () => show(terminal, checks));
  return code;
}

function show(terminal: Terminal, checks: readonly TimedResult[]): void {
  const width = checks.reduce((most, { id }) => Math.max(most, id.length), 0);
  for (const { id, status, message } of checks) {
    const [label, style] = LABELS[status];
    terminal.line(`${label.padEnd(4)}  ${id.padEnd(width)}  ${message}`, style);
  }
  for (const { id, status, cure } of checks)
    if (cure !== undefined && status !== 'ok') terminal.line(`cure: ${id}: ${cure}`);
  const count = (wanted: CheckStatus): number => checks.filter(({ status }) => status === wanted).length;
  terminal.line(
    `doctor: ${plural(count('error'), 'error')}, ${plural(count('warn'), 'warning')}, ${plural(checks.length, 'check')}`,
  );
}

const plural = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`;
