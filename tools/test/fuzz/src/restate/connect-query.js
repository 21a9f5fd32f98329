// Section 1.1 of the WebSocket page, said once more and differently.

/** @typedef {import('@carillon/protocol').ConnectRules} ConnectRules */

/** The last value of a parameter, null when it is not given. @param {string} query @param {string} name */
function last(query, name) {
  return new URLSearchParams(query).getAll(name).at(-1) ?? null;
}

/** @param {string} text */
function formatOf(text) {
  if (text === 'json' || text === '') return 'json';
  if (text === 'messagepack' || text === 'msgpack') return 'messagepack';
  return text === 'protobuf' || text === 'proto' ? 'protobuf' : null;
}

/** @param {string | null} text @param {ConnectRules} rules */
function echoOf(text, rules) {
  if (!rules.echoControlEnabled) return true;
  if (text === null) return rules.defaultEchoMessages;
  if (text === '1' || text === 'true') return true;
  return text === '0' || text === 'false' ? false : null;
}

/** The options, or the name of the parameter that is wrong. @param {string} query @param {ConnectRules} rules */
export function expectedOptions(query, rules) {
  const protocol = last(query, 'protocol') ?? '1';
  if (protocol === '' || /[^0-9]/.test(protocol) || BigInt(protocol) > 255n) return 'protocol';
  const library = {
    client: (last(query, 'client') ?? '').slice(0, 128),
    version: (last(query, 'version') ?? '').slice(0, 128),
  };
  const token = last(query, 'token') || null;
  if (BigInt(protocol) !== 2n) return { protocol: 1, ...library, bringsToken: token !== null };
  const format = formatOf((last(query, 'format') ?? '').trim().toLowerCase());
  if (format === null) return 'format';
  const acks = last(query, 'acks') ?? '0';
  if (!['0', '1', 'false', 'true'].includes(acks)) return 'acks';
  const echoMessages = echoOf(last(query, 'echo_messages'), rules);
  if (echoMessages === null) return 'echo_messages';
  const mode = last(query, 'append_mode') || 'delta';
  if (mode !== 'delta' && mode !== 'full') return 'append_mode';
  const window = last(query, 'append_rollup_window');
  if (window !== null && !['0', '20', '40', '100', '500'].includes(window)) return 'append_rollup_window';
  const windowMs = window === null ? null : Number(window);
  const isInside =
    windowMs === null || (windowMs >= rules.minRollupWindowMs && windowMs <= rules.maxRollupWindowMs);
  if (!isInside) return 'append_rollup_window';
  return {
    protocol: 2,
    ...library,
    format,
    acks: acks === '1' || acks === 'true',
    echoMessages,
    appendMode: mode,
    appendRollupWindowMs: windowMs,
    token,
  };
}
