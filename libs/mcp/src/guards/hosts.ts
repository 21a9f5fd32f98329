/** A host as headers and settings name it: lower case, brackets kept. */
export interface Host {
  readonly name: string;
  /** Null: not given. */
  readonly port: number | null;
}

const FORM = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/;
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Null: it is not one host. A header that repeats is not, for its values are joined by commas. */
export function parseHost(text: string): Host | null {
  const [, name, port] = FORM.exec(text.toLowerCase()) ?? [];
  if (name === undefined) return null;
  const number = port === undefined ? null : Number(port);
  return number !== null && number > 65_535 ? null : { name, port: number };
}

export const isLoopback = ({ name }: Host): boolean => LOOPBACK.has(name);

/** Whether an entry names this host: without a port it means any, else the one a request without a port means too. */
const namesHost = (entry: Host, host: Host, defaultPort: number): boolean =>
  entry.name === host.name && (entry.port === null || entry.port === (host.port ?? defaultPort));

/** Rules for the `Host` header. */
export interface HostRules {
  /** Empty: by where it listens and whether it brought a token. */
  readonly allowed: readonly Host[];
  readonly bound: 'loopback' | 'other' | 'unix socket';
  /** 443 where connections are encrypted, else 80. */
  readonly defaultPort: number;
}

/** `with a token`: only an authenticated request may use this host, which a rebinding page cannot send. */
export function judgeHost(header: string | undefined, rules: HostRules): 'yes' | 'no' | 'with a token' {
  if (rules.allowed.length === 0 && rules.bound === 'unix socket') return 'yes';
  const host = header === undefined ? null : parseHost(header);
  if (host === null) return 'no';
  if (rules.allowed.length > 0) {
    return rules.allowed.some((entry) => namesHost(entry, host, rules.defaultPort)) ? 'yes' : 'no';
  }
  if (isLoopback(host)) return 'yes';
  return rules.bound === 'loopback' ? 'no' : 'with a token';
}
