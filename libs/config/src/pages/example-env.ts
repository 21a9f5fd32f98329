import { Secret } from '../secret.js';
import { plainDefault, settingsByVariable } from './entries.js';

/** A default in the notation of a variable. */
function text(value: unknown): string {
  if (value === null || value instanceof Secret) return '';
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string') ? value.join(',') : '';
  return typeof value === 'object' ? '' : `${value as string | number | boolean}`;
}

/** Every variable with the settings it reaches, commented out. */
export function exampleEnv(): string {
  const lines = [...settingsByVariable()].flatMap(([name, leaves]) => {
    const [first] = leaves;
    if (first === undefined) return [];
    const value = first.node.specialEnv.includes(name) ? '' : text(plainDefault(first.node));
    const paths = leaves.map(({ path }) => path).join(', ');
    return [`# ${paths}: ${first.node.meaning}`, `#${name}=${value}`];
  });
  const head = '# Every environment variable with its default. Generated from libs/config/src/schema.';
  return [head, '', ...lines, ''].join('\n');
}
