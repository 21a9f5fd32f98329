import { ERRORS, type ErrorRow } from './table.js';

const cell = (value: number | null): string => (value === null ? '–' : String(value));

function line([code, row]: [string, ErrorRow]): string {
  const cells = [row.status, row.closeCode, row.frameCode, row.aiCode].map(cell);
  return `| \`${code}\` | ${cells.join(' | ')} | ${row.retryable ? 'yes' : 'no'} | ${row.text} |`;
}

/** The error reference, written from the table. */
export function generatedPages(): { path: string; content: string }[] {
  const content = [
    '# Errors',
    '',
    'Generated from `libs/core/errors/src/table.ts`; do not edit.',
    '',
    'Every HTTP error has the body `{"error": text, "code": code, "status": status}`; AI transport errors add',
    '`ai_code`. Texts may change, codes do not. Retryable: the same request may succeed later unchanged; HTTP',
    'answers then carry `Retry-After`. Close codes 4000–4099 and 4300–4399: do not reconnect by yourself;',
    '4100–4199: reconnect after at least a second, backing off; 4200–4299: reconnect at once.',
    '',
    '| code | HTTP status | close code | frame code | `ai_code` | retryable | text |',
    '|---|---|---|---|---|---|---|',
    ...Object.entries<ErrorRow>(ERRORS).map(line),
    '',
  ].join('\n');
  return [{ path: 'docs/reference/errors.md', content }];
}
