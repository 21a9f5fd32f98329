import type { Config } from '../schema/index.js';
import { isProduction } from '../mode.js';
import { duplicates, rule, type Rule } from './rule.js';

const BUILT_IN = [
  '/apps',
  '/app',
  '/up',
  '/live',
  '/usage',
  '/stats',
  '/operator',
  '/accept-traffic',
  '/metrics',
  '/manage',
  '/console',
];
const COMPAT = ['/time', '/keys', '/channels', '/messages', '/presence', '/push'];

function shadows({ mcp, compat }: Config): boolean {
  if (mcp.port !== null) return false;
  const routes = compat.enabled ? [...BUILT_IN, ...COMPAT] : BUILT_IN;
  return routes.some((route) => mcp.path === route || mcp.path.startsWith(`${route}/`));
}

const uniqueTokens: Rule = {
  id: 'mcp-unique',
  severity: 'error',
  check: ({ config: { mcp } }) => [
    ...duplicates(mcp.tokens.map(({ name }) => name)).map((name) => ({
      path: 'mcp.tokens',
      message: `duplicate name "${name}"`,
    })),
    ...duplicates(mcp.tokens.map(({ token }) => token.reveal())).map(() => ({
      path: 'mcp.tokens',
      message: 'duplicate token',
    })),
  ],
};

const short = (severity: Rule['severity']): Rule => ({
  id: 'mcp-token-length',
  severity,
  check: ({ config }) => {
    if (!config.mcp.enabled || isProduction(config) !== (severity === 'error')) return [];
    return config.mcp.tokens.flatMap(({ token }, index) =>
      token.reveal().length >= 16 && token.reveal().length < 32
        ? [{ path: `mcp.tokens[${index}].token`, message: 'must be at least 32 characters in production' }]
        : [],
    );
  },
});

/** Rules of the tool protocol; those about its endpoint only while it is enabled. */
export const toolProtocolRules: readonly Rule[] = [
  rule('mcp-path', 'mcp.path', 'shadows a built-in route', shadows),
  rule(
    'mcp-port',
    'mcp.port',
    'must differ from the main and metrics ports',
    ({ mcp, port, metrics }) => mcp.port !== null && [0, port, metrics.port].includes(mcp.port),
  ),
  rule(
    'mcp-tokens',
    'mcp',
    'no tokens configured',
    ({ mcp }) => mcp.enabled && mcp.tokens.length === 0 && !mcp.allow_anonymous,
  ),
  rule(
    'mcp-anonymous',
    'mcp.allow_anonymous',
    'is not allowed in production',
    (config) => config.mcp.enabled && config.mcp.allow_anonymous && isProduction(config),
  ),
  rule(
    'mcp-host',
    'mcp.host',
    'must not be empty',
    ({ mcp }, { configured }) => mcp.host === '' && configured.has('mcp.host'),
  ),
  uniqueTokens,
  short('error'),
  short('warning'),
];
