/** What is used of what a server says about itself. */
export interface ServerInfo {
  /** The longest message it takes, in bytes. */
  readonly maxPayload: number;
  /** Whether it talks through TLS alone. */
  readonly needsTls: boolean;
  /** Whether it is about to go, and asks clients to go elsewhere. */
  readonly isLameDuck: boolean;
  /** Where the servers of its cluster are, if it tells. Whatever it says. */
  readonly cluster: readonly unknown[];
  /** What who logs in with a key is to sign; null: nothing. */
  readonly nonce: string | null;
}

/** What a server takes unless it says otherwise. */
const MAX_PAYLOAD_BYTES = 1024 * 1024;

/** Null: it is no such text. */
export function serverInfo(text: string): ServerInfo | null {
  const said = parse(text);
  if (typeof said !== 'object' || said === null) return null;
  const {
    max_payload: most,
    tls_required: tls,
    ldm,
    connect_urls: cluster,
    nonce,
  } = said as Record<string, unknown>;
  return {
    maxPayload: typeof most === 'number' && most > 0 ? most : MAX_PAYLOAD_BYTES,
    needsTls: tls === true,
    isLameDuck: ldm === true,
    cluster: Array.isArray(cluster) ? cluster : [],
    nonce: typeof nonce === 'string' ? nonce : null,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
