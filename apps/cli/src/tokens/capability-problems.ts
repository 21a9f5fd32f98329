import type { DecodedToken } from './decode.js';

const CLOCK_TOLERANCE_S = 30;
const MAX_LIFE_S = 86_400;
const MAX_ID_BYTES = 128;
const MAX_PATTERNS = 100;
const MAX_TOKEN_BYTES = 8192;
const OPERATIONS: ReadonlySet<string> = new Set([
  'subscribe',
  'publish',
  'presence',
  'history',
  'message-update-own',
  'message-update-any',
  'message-delete-own',
  'message-delete-any',
  'message-append-own',
  'message-append-any',
  'annotation-publish',
  'annotation-subscribe',
  'annotation-delete-own',
  'annotation-delete-any',
  'push-admin',
  'push-subscribe',
]);

/** Rules of capability tokens that the token breaks, apart from its signature. */
export function capabilityProblems(
  { header, claims, signed }: DecodedToken,
  nowS: number,
): readonly string[] {
  const problems: string[] = [];
  if (signed.length > MAX_TOKEN_BYTES) problems.push(`the token has more than ${MAX_TOKEN_BYTES} bytes`);
  if (header['alg'] !== 'HS256') problems.push('header alg is not HS256');
  if (typeof header['kid'] !== 'string') problems.push('header kid is missing');
  problems.push(...idProblems(claims, 'x-service-client-id'), ...idProblems(claims, 'jti'));
  problems.push(...timeProblems(claims, nowS), ...patternProblems(claims['x-service-capability']));
  return problems;
}

function idProblems(claims: Readonly<Record<string, unknown>>, name: string): readonly string[] {
  const value = claims[name];
  if (typeof value !== 'string') return [`claim ${name} is missing`];
  const bytes = Buffer.byteLength(value);
  return bytes === 0 || bytes > MAX_ID_BYTES ? [`claim ${name} must have 1 to ${MAX_ID_BYTES} bytes`] : [];
}

function timeProblems({ iat, exp, nbf }: Readonly<Record<string, unknown>>, nowS: number): readonly string[] {
  if (!Number.isInteger(iat) || !Number.isInteger(exp)) return ['claims iat and exp must be integers'];
  const [issued, expires] = [Number(iat), Number(exp)];
  return [
    ...(issued > nowS + CLOCK_TOLERANCE_S ? ['claim iat is in the future'] : []),
    ...(typeof nbf === 'number' && nbf > nowS + CLOCK_TOLERANCE_S ? ['claim nbf is in the future'] : []),
    ...(expires <= nowS - CLOCK_TOLERANCE_S ? ['the token has expired'] : []),
    ...(expires - issued > MAX_LIFE_S ? [`the token lives longer than ${MAX_LIFE_S} s`] : []),
  ];
}

function patternProblems(raw: unknown): readonly string[] {
  const capability = typeof raw === 'string' ? parsed(raw) : raw;
  if (typeof capability !== 'object' || capability === null || Array.isArray(capability))
    return ['claim x-service-capability is not an object'];
  const entries = Object.entries(capability as Record<string, unknown>);
  const unknown = entries
    .flatMap(([, operations]) => (Array.isArray(operations) ? (operations as unknown[]) : [null]))
    .find((one) => typeof one !== 'string' || !OPERATIONS.has(one.replaceAll('_', '-')));
  return [
    ...(entries.length > MAX_PATTERNS ? [`the token has more than ${MAX_PATTERNS} patterns`] : []),
    ...(entries.some(([pattern]) => pattern === '') ? ['a pattern is empty'] : []),
    ...(unknown === undefined ? [] : [`operation ${JSON.stringify(unknown)} is unknown`]),
  ];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
