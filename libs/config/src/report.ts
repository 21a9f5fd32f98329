import type { Problem } from './problem.js';
import { redactUrls } from './redact.js';

/** One problem on one line, safe to show. */
const problemLine = ({ path, message }: Problem): string =>
  redactUrls(path === '' ? message : `${path}: ${message}`);

/** Formats the problems that an operator reads when the service does not start. */
export function textReport(problems: readonly Problem[]): string {
  const lines = problems.map((problem, index) => `  ${index + 1}. ${problemLine(problem)}`);
  return `configuration invalid: ${problems.length} problems\n${lines.join('\n')}\n`;
}

/** The same as one line of a JSON log. */
export function jsonReport(problems: readonly Problem[], now: Date): string {
  const fields = {
    message: 'configuration invalid',
    problems: problems.map(({ path, message }) => ({ path, message: redactUrls(message) })),
  };
  const line = { timestamp: now.toISOString(), level: 'ERROR', target: 'service::config', fields };
  return `${JSON.stringify(line)}\n`;
}

export const warningLines = (warnings: readonly Problem[]): string =>
  warnings.map((warning) => `warning: ${problemLine(warning)}\n`).join('');
