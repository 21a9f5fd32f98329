import { ServiceError } from '@carillon/errors';
import type {
  AppendMode,
  ClientLibrary,
  ConnectRules,
  V1ConnectOptions,
  V2ConnectOptions,
  WireFormat,
} from './options.js';

const HIGHEST_PROTOCOL = 255;
const LONGEST_LIBRARY_TEXT = 128;
const ROLLUP_WINDOWS_MS: ReadonlySet<string> = new Set(['0', '20', '40', '100', '500']);

const FORMATS: ReadonlyMap<string, WireFormat> = new Map([
  ['', 'json'],
  ['json', 'json'],
  ['messagepack', 'messagepack'],
  ['msgpack', 'messagepack'],
  ['protobuf', 'protobuf'],
  ['proto', 'protobuf'],
]);

const APPEND_MODES: ReadonlyMap<string, AppendMode> = new Map([
  ['', 'delta'],
  ['delta', 'delta'],
  ['full', 'full'],
]);

const SWITCHES: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/**
 * Reads the raw query of an upgrade (without `?`). Throws 400 `invalid_input` naming the first parameter that is
 * wrong. Unknown parameters, and on protocol 1 those of protocol 2, are ignored; of a repeated one the last counts.
 */
export function parseConnectOptions(
  rawQuery: string,
  rules: ConnectRules,
): V1ConnectOptions | V2ConnectOptions {
  const query = new Map(new URLSearchParams(rawQuery));
  const version2 = protocolNumber(query.get('protocol')) === 2;
  const library = clientLibrary(query);
  const token = query.get('token') ?? '';
  if (!version2) return { protocol: 1, ...library, bringsToken: token !== '' };
  return {
    protocol: 2,
    ...library,
    format: choice('format', query.get('format')?.trim().toLowerCase() ?? '', FORMATS),
    acks: choice('acks', query.get('acks') ?? '0', SWITCHES),
    echoMessages: echo(query.get('echo_messages'), rules),
    appendMode: choice('append_mode', query.get('append_mode') ?? '', APPEND_MODES),
    appendRollupWindowMs: rollupWindow(query.get('append_rollup_window'), rules),
    token: token === '' ? null : token,
  };
}

function protocolNumber(text: string | undefined): number {
  if (text === undefined) return 1;
  const protocol = /^\d+$/.test(text) ? Number(text) : Infinity;
  if (protocol > HIGHEST_PROTOCOL) throw invalid('protocol', `an integer from 0 to ${HIGHEST_PROTOCOL}`);
  return protocol;
}

function clientLibrary(query: ReadonlyMap<string, string>): ClientLibrary {
  const text = (name: string): string => (query.get(name) ?? '').slice(0, LONGEST_LIBRARY_TEXT);
  return { client: text('client'), version: text('version') };
}

function echo(text: string | undefined, rules: ConnectRules): boolean {
  if (!rules.echoControlEnabled) return true;
  return text === undefined ? rules.defaultEchoMessages : choice('echo_messages', text, SWITCHES);
}

function rollupWindow(text: string | undefined, rules: ConnectRules): number | null {
  if (text === undefined) return null;
  const windowMs = ROLLUP_WINDOWS_MS.has(text) ? Number(text) : NaN;
  if (windowMs >= rules.minRollupWindowMs && windowMs <= rules.maxRollupWindowMs) return windowMs;
  const bounds = `from ${rules.minRollupWindowMs} to ${rules.maxRollupWindowMs}`;
  throw invalid('append_rollup_window', `one of ${[...ROLLUP_WINDOWS_MS].join(', ')}, and ${bounds}`);
}

function choice<Value>(name: string, text: string, values: ReadonlyMap<string, Value>): Value {
  const value = values.get(text);
  if (value !== undefined) return value;
  throw invalid(name, `one of ${[...values.keys()].filter((key) => key !== '').join(', ')}`);
}

const invalid = (name: string, wanted: string): ServiceError =>
  new ServiceError('invalid_input', { text: `${name} must be ${wanted}` });
