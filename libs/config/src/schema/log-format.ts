import { bound, leaf, type LeafType } from '../kernel/index.js';
import { given, wrongType } from '../kernel/read.js';

/** Any other word is answered with a warning and text logs, so it has to survive the reading. */
export type LogFormat = 'text' | 'json' | 'unknown';

const WORDS: Readonly<Record<string, LogFormat>> = { text: 'text', human: 'text', json: 'json' };

function read(text: string): LogFormat {
  const word = text.trim().toLowerCase();
  return (Object.hasOwn(WORDS, word) ? WORDS[word] : undefined) ?? 'unknown';
}

const type: LeafType<LogFormat> = {
  name: '`text` `json`',
  jsonSchema: { type: 'string', enum: ['text', 'human', 'json'] },
  decode: (raw, path, findings) =>
    typeof raw === 'string' ? given(read(raw)) : wrongType(raw, 'string', path, findings),
  parse: (text) => ({ value: read(text) }),
};

export const logFormat = leaf(type, {
  default: 'text',
  env: 'LOG_OUTPUT_FORMAT',
  bounds: [bound('other words warn and mean text', () => null)],
  meaning: 'Shape of log lines; `human` is `text`. Meant for the environment',
});
