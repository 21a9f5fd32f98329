import { Secret } from '../secret.js';
import { bound, maxLength, notEmpty } from './bounds.js';
import { leaf, type Bound, type LeafNode, type LeafOptions, type LeafType } from './node.js';
import { given, wrongType } from './read.js';

interface TextOptions extends LeafOptions<string> {
  readonly notEmpty?: boolean;
  readonly maxLength?: number;
}

const stringType = (name: string): LeafType<string> => ({
  name,
  jsonSchema: { type: 'string' },
  decode: (raw, path, findings) =>
    typeof raw === 'string' ? given(raw) : wrongType(raw, 'string', path, findings),
  parse: (text) => ({ value: text }),
});

function textBounds(options: TextOptions): readonly Bound<string>[] {
  return [
    ...(options.notEmpty === true ? [notEmpty] : []),
    ...(options.maxLength === undefined ? [] : [maxLength(options.maxLength)]),
    ...(options.bounds ?? []),
  ];
}

export const string = (options: TextOptions): LeafNode<string> =>
  leaf(stringType('string'), { ...options, bounds: textBounds(options) });

/** A file or folder; relative ones start at the working directory. */
export const path = (options: TextOptions): LeafNode<string> =>
  leaf(stringType('path'), { ...options, bounds: textBounds(options) });

/** File permissions as octal text. */
export const octal = (options: LeafOptions<string>): LeafNode<string> =>
  leaf(stringType('octal string'), {
    ...options,
    bounds: [
      bound('octal digits, ≤ 777', (value) => {
        if (!/^[0-7]+$/.test(value)) return 'must be octal digits 0-7';
        return Number.parseInt(value, 8) > 0o777 ? 'must be at most 777' : null;
      }),
    ],
  });

const secretType: LeafType<Secret> = {
  name: 'secret string',
  jsonSchema: { type: 'string' },
  decode: (raw, path, findings) =>
    typeof raw === 'string' ? given(new Secret(raw)) : wrongType(raw, 'string', path, findings),
  parse: (text) => ({ value: new Secret(text) }),
};

interface SecretOptions extends Omit<LeafOptions<Secret>, 'default'> {
  readonly default: string | null;
  readonly notEmpty?: boolean;
}

export function secret(options: SecretOptions): LeafNode<Secret> {
  const filled = bound<Secret>('not empty', (value) => (value.reveal() === '' ? 'must not be empty' : null));
  return leaf(secretType, {
    ...options,
    default: options.default === null ? null : new Secret(options.default),
    secret: true,
    bounds: [...(options.notEmpty === true ? [filled] : []), ...(options.bounds ?? [])],
  });
}
